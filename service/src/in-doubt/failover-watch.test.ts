import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aReadySend, aWatch, claimedIds, failOverFrom, otherSystem } from "../../test/failover-fixture.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type FailoverMark, writeMark } from "./failover-marks.ts";
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
    expect(await recognizeServer(database.db, { position: null, failoverAt: null, mark: null })).toMatchObject({
      cause: "server",
    });
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

describe("a promoted standby", () => {
  const previousTimeline = "replace(server, '/00000001/', '/00000000/')";

  test("that has the last mark: claims continue, no send is in doubt, and one of 8 workers logs and counts it", async () => {
    const id = await aReadySend(database.db);
    const failovers = await change(database.db, "select from failovers");
    const marks = await marksOnPreviousTimeline(8);
    const workers = marks.map((mark) => aWatch(database.db, seenWith(mark)));
    expect(await claimedIds(database.db, "live")).toEqual([]);
    await Promise.all(workers.map(({ watch }) => watch.check()));
    expect(workers.flatMap(({ lines }) => lines)).toMatchObject([
      { event: "database.failover-without-loss", cause: "no-loss" },
    ]);
    const counts = await Promise.all(
      workers.map(({ counted }) => counted("postern_failovers_total", { cause: "no-loss" })),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await claimedIds(database.db, "live")).toEqual([id]);
    expect(await change(database.db, "select from failovers")).toHaveLength(failovers.length);
    // No worker objects later, and a position of the old timeline does not count on the new one.
    for (const { watch, lines } of workers) {
      await watch.check();
      expect(lines.filter(({ event }) => event === "database.failover-detected")).toEqual([]);
    }
  });

  test.for([
    ["lacks the mark", (mark: FailoverMark) => ({ ...mark, mark: "2" }), previousTimeline],
    [
      "has the mark of another worker only",
      (mark: FailoverMark) => ({ ...mark, worker: randomUUIDv7() }),
      previousTimeline,
    ],
    ["is two promotions away", (mark: FailoverMark) => mark, "replace(server, '/00000001/', '/FFFFFFFF/')"],
    [
      "follows another server than that of the mark",
      (mark: FailoverMark) => ({ ...mark, server: "1/00000000/5" }),
      previousTimeline,
    ],
    ["hides its timeline", (mark: FailoverMark) => mark, "replace(server, '/00000001/', '/?/')"],
    ["is another system", (mark: FailoverMark) => mark, otherSystem],
  ] as const)("that %s: earlier sends are in doubt", async ([, changed, server]) => {
    const id = await aReadySend(database.db);
    const [mark] = await marksOnPreviousTimeline(1, server);
    if (mark === undefined) throw new Error("no mark was written");
    const { watch, lines } = aWatch(database.db, seenWith(changed(mark)));
    expect(await watch.check()).toBe(true);
    expect(lines).toMatchObject([{ event: "database.failover-detected", cause: "server" }, { count: 1 }]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });

  test("a worker whose mark is missing marks mail in doubt although another one found no loss", async () => {
    const id = await aReadySend(database.db);
    const [mark, lost] = await marksOnPreviousTimeline(2);
    if (mark === undefined || lost === undefined) throw new Error("no mark was written");
    await aWatch(database.db, seenWith(mark)).watch.check();
    const { watch, lines } = aWatch(database.db, seenWith({ ...lost, mark: "2" }));
    expect(await watch.check()).toBe(true);
    expect(lines).toMatchObject([{ event: "database.failover-detected", cause: "rewound" }, { count: 1 }]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });

  test("during an unfinished sweep: the sweep starts again", async () => {
    const id = await aReadySend(database.db);
    const [mark] = await marksOnPreviousTimeline(1);
    await change(database.db, "update provider_state set server_run = '' where mode = 'live'");
    const { watch, lines } = aWatch(database.db, seenWith(mark ?? null));
    expect(await watch.check()).toBe(true);
    expect(lines).toMatchObject([{ event: "database.failover-detected", cause: "server" }, { count: 1 }]);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
  });

  test("a server that does not wait for a standby gets no marks", async () => {
    const { watch } = aWatch(database.db);
    await watch.check();
    await watch.check();
    expect(await change(database.db, "select from failover_marks")).toEqual([]);
  });

  test("only a known server run takes a mark, and marks of a day ago are deleted", async () => {
    expect(await writeMark(database.db, randomUUIDv7())).toBeUndefined();
    await aWatch(database.db).watch.check();
    const worker = randomUUIDv7();
    await writeMark(database.db, randomUUIDv7());
    await change(database.db, "update failover_marks set marked_at = now() - interval '25 hours'");
    expect(await writeMark(database.db, worker)).toMatchObject({ worker, mark: "1" });
    expect(await writeMark(database.db, worker)).toMatchObject({ worker, mark: "2" });
    expect(await change(database.db, "select from failover_marks")).toHaveLength(1);
  });

  /** Marks of this many workers. Then this server becomes one that follows the server with that identity. */
  async function marksOnPreviousTimeline(count: number, server = previousTimeline): Promise<FailoverMark[]> {
    await aWatch(database.db).watch.check();
    const marks: FailoverMark[] = [];
    for (let written = 0; written < count; written++) {
      const mark = await writeMark(database.db, randomUUIDv7());
      if (mark !== undefined) marks.push(mark);
    }
    await failOverFrom(database.db, server);
    const [row] = await database.db.query<{ server: string }>({
      name: "server-of-marks",
      text: "select server from provider_state where mode = 'live'",
    });
    return marks.map((mark) => ({ ...mark, server: row?.server ?? "" }));
  }

  const seenWith = (mark: FailoverMark | null) => ({ position: "FFFF/0", failoverAt: null, mark });
});

test("an older copy of the same server is detected by one of the workers that had seen more on disk", async () => {
  await aWatch(database.db).watch.check();
  const id = await aReadySend(database.db);
  // Simulates that the server had much more on disk at the last check of these workers.
  const seen = { position: "FFFF/0", failoverAt: null, mark: null };
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
