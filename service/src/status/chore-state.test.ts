import { beforeEach, describe, expect, test } from "vitest";
import { aHeartbeat } from "../../test/a-heartbeat.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { listFailingChores } from "./chore-state.ts";
import { type ProcessHeartbeat, recordProcess, recordStop } from "./process-store.ts";

const database = useTestDatabase();
beforeEach(() => change(database.db, "truncate processes, chores"));

const aWorker = (overrides: Partial<ProcessHeartbeat> = {}) =>
  aHeartbeat({ chorePauseSeconds: { "a-chore": 60 }, ...overrides });

const ran = (endedSecondsAgo: number, hasFailed: boolean) =>
  recordProcess(database.db, aWorker({ chores: [{ name: "a-chore", endedSecondsAgo, hasFailed }] }));
const aliveFor = (id: string, seconds: number) =>
  change(database.db, `update processes set alive_since = now() - interval '${seconds} s' where id = '${id}'`);

describe("failed runs", () => {
  test("the latest run decides, and a streak of failures counts across processes", async () => {
    const { db } = database;
    await ran(50, true);
    await ran(20, true);
    const failingSeconds = expect.closeTo(50, 0);
    expect(await listFailingChores(db)).toEqual([{ name: "a-chore", failingSeconds, isOverdue: false }]);
    await ran(30, false);
    expect(await listFailingChores(db)).toHaveLength(1);
    await ran(10, false);
    expect(await listFailingChores(db)).toEqual([]);
  });

  test("one failure, also one after each success, is not reported", async () => {
    const { db } = database;
    await ran(3_000, true);
    expect(await listFailingChores(db)).toEqual([]);
    await ran(2_000, false);
    await ran(1_000, true);
    expect(await listFailingChores(db)).toEqual([]);
  });

  test("a chore that no living worker runs any more is not reported", async () => {
    const { db } = database;
    const old = aWorker({ chores: [{ name: "a-chore", endedSecondsAgo: 9, hasFailed: true }] });
    await recordProcess(db, old);
    await recordProcess(db, { ...old, chores: [{ name: "a-chore", endedSecondsAgo: 1, hasFailed: true }] });
    expect(await listFailingChores(db)).toHaveLength(1);
    await recordStop(db, old.id);
    await recordProcess(db, aWorker({ chorePauseSeconds: { "a-renamed-chore": 60 } }));
    expect(await listFailingChores(db)).toEqual([]);
  });
});

describe("an overdue chore", () => {
  const overdue = (seconds: number) => [
    { name: "a-chore", failingSeconds: expect.closeTo(seconds, 0), isOverdue: true },
  ];

  test("is reported 11 minutes after its pause", async () => {
    const { db } = database;
    const worker = aWorker({ chores: [{ name: "a-chore", endedSecondsAgo: 700, hasFailed: false }] });
    await recordProcess(db, worker);
    await aliveFor(worker.id, 7_200);
    expect(await listFailingChores(db)).toEqual([]);
    await change(db, "update chores set ended_at = now() - interval '730 s'");
    expect(await listFailingChores(db)).toEqual(overdue(730));
  });

  test("is reported although it never ended", async () => {
    const worker = aWorker();
    await recordProcess(database.db, worker);
    await aliveFor(worker.id, 730);
    expect(await listFailingChores(database.db)).toEqual(overdue(730));
  });

  test("is not reported before the oldest living worker had the time to run it", async () => {
    const { db } = database;
    const [stopped, worker] = [aWorker(), aWorker()];
    await recordProcess(db, { ...stopped, chores: [{ name: "a-chore", endedSecondsAgo: 7_200, hasFailed: false }] });
    await aliveFor(stopped.id, 9_000);
    await recordStop(db, stopped.id);
    await recordProcess(db, worker);
    await aliveFor(worker.id, 700);
    expect(await listFailingChores(db)).toEqual([]);
    await aliveFor(worker.id, 730);
    expect(await listFailingChores(db)).toEqual(overdue(7_200));
  });

  test("is not reported after an outage of the database, during which no heartbeat came either", async () => {
    const { db } = database;
    const worker = aWorker({ chores: [{ name: "a-chore", endedSecondsAgo: 7_200, hasFailed: false }] });
    await recordProcess(db, worker);
    await aliveFor(worker.id, 9_000);
    expect(await listFailingChores(db)).toHaveLength(1);
    await change(db, "update processes set seen_at = now() - interval '1 h'");
    await recordProcess(db, { ...worker, chores: [] });
    expect(await listFailingChores(db)).toEqual([]);
  });
});
