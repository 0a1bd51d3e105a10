import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { stopClock } from "../../test/fake-clock.ts";
import {
  aDatabaseWithOutages,
  aMessage,
  aQueue,
  consumersIn,
  leftConsumer,
  liveConsumer,
} from "../../test/feedback-consumer-fixture.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { createLog } from "../log.ts";
import { ProviderError } from "../provider/email-provider.ts";
import type { FeedbackQueue } from "../provider/feedback.ts";
import { FeedbackLoop } from "./feedback-loop.ts";

const database = useTestDatabase();

type Receive = ConstructorParameters<typeof FeedbackLoop>[0]["receive"];

function aLoop(queue: FeedbackQueue, receive: Receive = async () => "applied", db: Queryable = database.db) {
  return new FeedbackLoop({ db, mode: "live", queue, receive, receivers: 1, log: createLog("silent") });
}

test("a message is deleted after its content is stored, and not before", async () => {
  const { queue, deleted } = aQueue([aMessage("a"), aMessage("b")]);
  const deletedBefore: string[][] = [];
  const loop = aLoop(queue, async () => {
    deletedBefore.push([...deleted]);
    return "applied";
  });
  expect(await loop.runOnce()).toBe(2);
  expect(deletedBefore).toEqual([[], []]);
  expect(deleted).toEqual(["handle of a", "handle of b"]);
});

test("a message that could not be stored stays in the queue, and the others of its receive are deleted", async () => {
  const { queue, deleted } = aQueue([aMessage("a"), aMessage("b")]);
  const loop = aLoop(queue, async (_, raw) => {
    if (raw === "body of a") throw new AppError("UNAVAILABLE", "The database is down.");
    return "applied";
  });
  await loop.runOnce();
  expect(deleted).toEqual(["handle of b"]);
});

test("a message that fails three times goes to quarantine, unless the database caused the failures", async () => {
  const receive: Receive = async (_, raw) => {
    if (raw.endsWith("unavailable")) throw new AppError("UNAVAILABLE", "The database is down.");
    if (raw.endsWith("contention"))
      throw Object.assign(new Error("could not serialize"), { code: "40001", severity: "ERROR" });
    throw new Error("a bug");
  };
  const causedByDatabase = [aMessage("unavailable", 9), aMessage("contention", 9)];
  const { queue, deleted } = aQueue([aMessage("poison", 2)], [aMessage("poison", 3), ...causedByDatabase]);
  const loop = aLoop(queue, receive);
  await loop.runOnce();
  expect(deleted).toEqual([]);
  await loop.runOnce();
  expect(deleted).toEqual(["handle of poison"]);
  const rows = await database.db.query({
    name: "quarantined",
    text: `select reason, raw, next_try_at from feedback_quarantine where raw like 'body of%'`,
  });
  expect(rows).toEqual([{ reason: "unreadable", raw: "body of poison", next_try_at: null }]);
});

test("two receivers wait for events, and the others join when a receive brings many", async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: closed, resolve: close } = Promise.withResolvers<"closed">();
  let [waiting, most] = [0, 0];
  let isFirst = true;
  const { queue } = aQueue();
  const receive = async () => {
    waiting += 1;
    most = Math.max(most, waiting);
    if (isFirst) {
      isFirst = false;
      await arrived;
      waiting -= 1;
      return ["a", "b", "c", "d", "e"].map(aMessage);
    }
    return closed;
  };
  const loop = new FeedbackLoop({
    db: database.db,
    mode: "live",
    queue: { ...queue, receive, close: () => close("closed") },
    receive: async () => "applied",
    receivers: 6,
    log: createLog("silent"),
  });
  loop.start();
  await expect.poll(() => waiting).toBe(2);
  await sleep(50);
  expect(most).toBe(2);
  arrive();
  await expect.poll(() => waiting).toBe(6);
  await loop.stop();
});

test("a receive that brings few is followed by a pause, and wakes no others", async () => {
  const received: number[] = [];
  const { queue } = aQueue();
  const loop = new FeedbackLoop({
    db: database.db,
    mode: "live",
    queue: { ...queue, receive: async () => [aMessage(`${received.push(performance.now())}`)] },
    receive: async () => "applied",
    receivers: 6,
    log: createLog("silent"),
  });
  loop.start();
  await sleep(1_000);
  await loop.stop();
  // Two receivers, each at most once in 200 ms.
  expect(received.length).toBeGreaterThanOrEqual(2);
  expect(received.length).toBeLessThanOrEqual(12);
});

test("the loop receives again after an error, and stopping ends it", async () => {
  const { queue, deleted } = aQueue(new Error("no connection"), [aMessage("a")]);
  const loop = aLoop(queue);
  loop.start();
  await expect.poll(() => deleted, { timeout: 5_000 }).toEqual(["handle of a"]);
  await loop.stop();
});

describe("a consumer", () => {
  beforeEach(() => change(database.db, "delete from feedback_consumers"));
  afterEach(() => vi.useRealTimers());

  test("reports no messages as left in the queue while it stores all that it receives", async () => {
    const { queue } = aQueue([aMessage("a")], []);
    const loop = aLoop(queue);
    await loop.sendHeartbeat();
    await loop.runOnce();
    await loop.runOnce();
    await loop.sendHeartbeat();
    expect(await consumersIn(database.db)).toMatchObject([liveConsumer]);
  });

  test("reports left messages when it could not store one", async () => {
    const { queue } = aQueue([aMessage("a"), aMessage("b")]);
    const loop = aLoop(queue, async (_, raw) => {
      if (raw === "body of a") throw new Error("a bug");
      return "applied";
    });
    await loop.runOnce();
    await loop.sendHeartbeat();
    expect(await consumersIn(database.db)).toMatchObject([leftConsumer, liveConsumer]);
  });

  test("reports left messages when it could not quarantine one either, and deletes the others of that receive", async () => {
    const { queue, deleted } = aQueue([aMessage("a", 3), aMessage("b", 3)]);
    const { db, setDown } = aDatabaseWithOutages(database.db);
    const loop = aLoop(
      queue,
      async (_, raw) => {
        if (raw === "body of b") return "applied";
        setDown(true);
        setTimeout(() => setDown(false), 100);
        throw new Error("a bug");
      },
      db,
    );
    await loop.runOnce();
    expect(deleted).toEqual(["handle of b"]);
    await loop.sendHeartbeat();
    expect(await consumersIn(database.db)).toMatchObject([leftConsumer, liveConsumer]);
  });

  test.for([
    ["reports left messages when an answer of the queue was lost", "unavailable", true, [leftConsumer, liveConsumer]],
    ["reports no left messages when there was no connection", "unavailable", false, [liveConsumer]],
    ["reports no left messages when the queue refused the request", "denied", true, [liveConsumer]],
  ] as const)("%s", async ([, kind, wasSent, rows]) => {
    const { queue } = aQueue(new ProviderError(kind, "no", undefined, wasSent));
    const loop = aLoop(queue);
    await expect(loop.runOnce()).rejects.toThrow("no");
    await loop.sendHeartbeat();
    expect(await consumersIn(database.db)).toMatchObject(rows);
  });

  test("receives nothing before its first heartbeat, nor ten seconds after its last", async () => {
    stopClock();
    const { db, setDown } = aDatabaseWithOutages(database.db);
    setDown(true);
    let received = 0;
    const receive = async () => {
      await sleep(20);
      received++;
      return [];
    };
    const queue = { ...aQueue().queue, receive };
    const loop = aLoop(queue, async () => "applied", db);
    loop.start();
    await sleep(300);
    expect(received).toBe(0);
    setDown(false);
    await expect.poll(() => received, { timeout: 10_000 }).toBeGreaterThan(0);
    setDown(true);
    vi.advanceTimersByTime(10_000);
    await sleep(200);
    const before = received;
    await sleep(300);
    expect(received).toBe(before);
    await loop.stop();
  });
});
