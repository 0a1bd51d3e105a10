import { PgBoss } from "pg-boss";
import type { Log } from "../log.ts";

/** Something done again and again, by one process at a time, whichever of them is there. */
export interface Chore {
  name: string;
  /** The pause between the end of one run and the start of the next. */
  pauseSeconds: number;
  run(): Promise<void>;
}

/** A run that takes longer than ten minutes is taken for dead; what is done is forgotten after an hour. */
const queueOptions = {
  policy: "stately",
  retryLimit: 0,
  expireInSeconds: 600,
  retentionSeconds: 3600,
  deleteAfterSeconds: 3600,
} as const;

/**
 * Each chore is a queue that holds at most one waiting and one running job. A run puts the next one into the queue; the
 * schedule of every minute does so too, in case the process died in between.
 */
export async function startChores(directUrl: string, chores: Chore[], log: Log): Promise<{ stop(): Promise<void> }> {
  const boss = new PgBoss({ connectionString: directUrl, application_name: "postern-chores" });
  boss.on("error", (err) => log.error({ err }, "chores.broke"));
  await boss.start();
  for (const chore of chores) {
    await boss.createQueue(chore.name, queueOptions);
    await boss.schedule(chore.name, "* * * * *");
    await boss.work(chore.name, { pollingIntervalSeconds: 0.5 }, () => runOnce(boss, chore, log));
    await boss.send(chore.name);
  }
  return { stop: () => boss.stop({ graceful: true, timeout: 20_000 }) };
}

/** Makes or renews the tables of pg-boss, for `postern migrate`: a worker then needs no right to change the schema. */
export async function migrateChores(directUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: directUrl, supervise: false, schedule: false });
  // Without a listener an error event would end the process; what matters is thrown by start.
  boss.on("error", () => undefined);
  await boss.start();
  await boss.stop();
}

async function runOnce(boss: PgBoss, chore: Chore, log: Log): Promise<void> {
  const started = performance.now();
  try {
    await chore.run();
    log.debug({ chore: chore.name, duration_ms: Math.round(performance.now() - started) }, "chore.done");
  } catch (err) {
    log.error({ chore: chore.name, err }, "chore.failed");
  }
  await boss.send(chore.name, null, { startAfter: chore.pauseSeconds });
}
