import { describe, expect, test } from "vitest";
import { aReadySend, aWatch, claimedIds, failOverFrom, otherSystem } from "../../test/failover-fixture.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { declareFailover, recognizeServer } from "./failover-store.ts";
import { readLastFailover } from "./last-failover.ts";

const database = useTestDatabase();
useEmptyQueue(database);

describe("a known server", () => {
  test("the first worker stores the server run, and no send becomes in doubt", async () => {
    const id = await aReadySend(database.db);
    const { watch, lines } = aWatch(database.db);
    expect(await watch.check()).toBe(true);
    expect(await watch.check()).toBe(false);
    expect(lines).toEqual([]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready", attempt: 0 });
    expect(await claimedIds(database.db, "live")).toEqual([id]);
  });

  test("after a restart workers claim nothing until one has recognized the same server", async () => {
    const { watch, lines } = aWatch(database.db);
    await watch.check();
    const id = await aReadySend(database.db);
    await change(database.db, "update provider_state set server_run = '1.5/5' where mode = 'live'");
    expect(await claimedIds(database.db, "live")).toEqual([]);
    expect(await watch.check()).toBe(true);
    expect(await claimedIds(database.db, "live")).toEqual([id]);
    expect(lines).toEqual([]);
  });
});

describe("another server", () => {
  test.for([
    ["another system", otherSystem],
    ["another timeline", "replace(server, '/00000001/', '/00000009/')"],
    ["another database", "server || '0'"],
  ])(
    "%s: workers claim no earlier send, and one of 8 workers logs and counts the failover",
    async ([, server = ""]) => {
      const workers = Array.from({ length: 8 }, () => aWatch(database.db));
      await workers[0]?.watch.check();
      const id = await aReadySend(database.db);
      await failOverFrom(database.db, server);
      expect(await claimedIds(database.db, "live")).toEqual([]);
      // A worker that finds another one sweeping checks again at its next tick.
      await Promise.all(workers.map(({ watch }) => watch.check()));
      await workers[7]?.watch.check();
      expect(await claimedIds(database.db, "live")).toEqual([]);
      expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt", attempt: 1_000 });
      const lines = workers.flatMap((worker) => worker.lines);
      expect(lines.filter(({ event }) => event === "database.failover-detected")).toMatchObject([{ cause: "server" }]);
      expect(lines.filter(({ event }) => event === "delivery.older-sends-in-doubt")).toMatchObject([{ count: 1 }]);
      const counts = await Promise.all(
        workers.map(({ counted }) => counted("postern_failovers_total", { cause: "server" })),
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    },
  );

  test("if the worker that detects it crashes, another one sweeps, and no worker claims before that", async () => {
    await aWatch(database.db).watch.check();
    const ids = [await aReadySend(database.db), await aReadySend(database.db)];
    await failOverFrom(database.db, otherSystem);
    expect(await recognizeServer(database.db, { position: null, failoverAt: null })).toMatchObject({ cause: "server" });
    expect(await claimedIds(database.db, "live")).toEqual([]);
    expect(await aWatch(database.db).watch.check()).toBe(true);
    for (const id of ids) expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });

  test("a second failover during the sweep restarts it", async () => {
    await aWatch(database.db).watch.check();
    const id = await aReadySend(database.db);
    await declareFailover(database.db, "operator", "infinity");
    await change(database.db, `update provider_state set server = ${otherSystem} where mode = 'live'`);
    const { watch, lines } = aWatch(database.db);
    expect(await watch.check()).toBe(true);
    expect(lines).toMatchObject([{ event: "database.failover-detected", cause: "server" }, { count: 1 }]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
    expect(await change(database.db, "select from failovers where swept_at is null")).toEqual([]);
  });
});

test("an older copy of the same server is detected by one of the workers that had seen more on disk", async () => {
  await aWatch(database.db).watch.check();
  const id = await aReadySend(database.db);
  // Simulates that the server had much more on disk at the last check of these workers.
  const seen = { position: "FFFF/0", failoverAt: null };
  const [one, other] = [aWatch(database.db, seen), aWatch(database.db, seen)];
  expect(await one.watch.check()).toBe(true);
  await other.watch.check();
  expect(one.lines).toMatchObject([{ cause: "rewound" }, { count: 1 }]);
  expect(other.lines).toEqual([]);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
});

test("after the operator declares a failover, workers claim nothing until all earlier sends are in doubt", async () => {
  const { watch } = aWatch(database.db);
  await watch.check();
  const id = await aReadySend(database.db);
  expect(await declareFailover(database.db, "operator", "infinity")).toMatchObject({ cause: "operator" });
  expect(await claimedIds(database.db, "live")).toEqual([]);
  expect(await readLastFailover(database.db, 10)).toMatchObject({ isSweeping: true });
  expect(await watch.check()).toBe(true);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  expect(await watch.check()).toBe(false);
});
