import { Logger, run, runMigrations } from "graphile-worker";
import pg from "pg";
import { runEngineProcess } from "../engine-process.ts";
import { type Send, slots } from "../workload.ts";
import { acceptAll, openMarking, openPreparation, openSubmission, type Prepared, shared } from "./duties.ts";

/** graphile-worker as its performance page recommends: `add_jobs`, a local queue, batched completions, no log line per job. */
process.env.NO_LOG_SUCCESS = "1";
const connectionString = process.env.DATABASE_URL ?? "";
const pool = new pg.Pool({ connectionString, max: 4 });
// Its warning about fewer connections than jobs does not apply with a local queue and batched completions.
const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message);
});

/** One statement and one commit for duties and jobs: the advantage of a queue in the same database. */
const addJobs = `
  select count(*)::integer as accepted
  from graphile_worker.add_jobs(array(
    select json_populate_record(
      null::graphile_worker.job_spec,
      json_build_object('identifier', 'send', 'payload', json_build_object('id', id))
    )
    from accepted
  ))`;

await runEngineProcess({
  async openProducer() {
    const prepare = await openPreparation();
    const store = shared<Prepared>((sends) => acceptAll(pool, sends, addJobs));
    return { accept: (send: Send) => store(prepare(send)) };
  },

  async openWorker(sent) {
    await runMigrations({ connectionString, logger });
    const submit = openSubmission();
    const mark = openMarking();
    const send = async (payload: unknown) => {
      // The payload is what `addJobs` added.
      const { id } = payload as { id: string };
      await mark(await submit(id));
    };
    const runner = await run({
      preset: {
        worker: {
          connectionString,
          concurrentJobs: slots,
          maxPoolSize: 10,
          localQueue: { size: slots + 1 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      taskList: { send },
      logger,
      noHandleSignals: true,
    });
    runner.events.on("job:success", sent);
    return { left: countJobs };
  },
});

async function countJobs(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>("select count(*)::integer as count from graphile_worker.jobs");
  return rows[0]?.count ?? Number.NaN;
}
