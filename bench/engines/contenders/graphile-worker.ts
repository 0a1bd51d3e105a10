import { Logger, run, runMigrations } from "graphile-worker";
import pg from "pg";
import { runEngineProcess } from "../engine-process.ts";
import { callProvider, type Send, slots } from "../workload.ts";
import { insertSends, openRecord, recordUrl, shared } from "./record.ts";

/** graphile-worker as its performance page recommends: `add_jobs`, a local queue, batched completions, no log line per job. */
process.env.NO_LOG_SUCCESS = "1";
const connectionString = process.env.DATABASE_URL ?? "";
const pool = new pg.Pool({ connectionString, max: 4 });
// Its warning about fewer connections than jobs does not apply with a local queue and batched completions.
const logger = new Logger(() => (level, message) => {
  if (level === "error") console.error(message);
});

await runEngineProcess({
  async openProducer() {
    return { accept: shared<Send>((sends) => pool.query(addJobs(sends))) };
  },

  async openWorker(sent) {
    await runMigrations({ connectionString, logger });
    const record = openRecord();
    const send = async (payload: unknown) => {
      // The payload is what the producer added.
      const { id } = payload as Send;
      await record.markSent({ id, messageId: await callProvider() });
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

/** One statement and one commit for record and jobs: the advantage of a queue in the same database. */
function addJobs(sends: Send[]) {
  const record = insertSends(sends);
  const specs = JSON.stringify(sends.map((send) => ({ identifier: "send", payload: send })));
  const add = (parameter: string) => `
    select count(*)
    from graphile_worker.add_jobs(
      array(select json_populate_recordset(null::graphile_worker.job_spec, ${parameter}::json)))`;
  if (recordUrl === undefined) return { name: "add-jobs", text: add("$1"), values: [specs] };
  return {
    name: "insert-sends-and-jobs",
    text: `with recorded as (${record.text}) ${add("$5")}`,
    values: [...record.values, specs],
  };
}

async function countJobs(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>("select count(*)::integer as count from graphile_worker.jobs");
  return rows[0]?.count ?? Number.NaN;
}
