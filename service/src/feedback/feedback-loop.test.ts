import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { aDatabaseThatGoes, aMessage, aQueue, consumersIn, leftRow, ownRow } from "../../test/feedback-reading.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { createLog } from "../log.ts";
import { ProviderError } from "../provider/email-provider.ts";
import type { FeedbackQueue } from "../provider/feedback.ts";
import { FeedbackLoop } from "./feedback-loop.ts";

const database = useTestDatabase();

type Take = ConstructorParameters<typeof FeedbackLoop>[0]["take"];

function aLoop(queue: FeedbackQueue, take: Take = async () => "applied", db: Queryable = database.db) {
  return new FeedbackLoop({ db, mode: "live", queue, take, receivers: 1, log: createLog("silent") });
}

test("a message is deleted after what it says is taken, and not before", async () => {
  const { queue, deleted } = aQueue([aMessage("a"), aMessage("b")]);
  const seen: string[][] = [];
  const loop = aLoop(queue, async () => {
    seen.push([...deleted]);
    return "applied";
  });
  expect(await loop.runOnce()).toBe(2);
  expect(seen).toEqual([[], []]);
  expect(deleted).toEqual(["handle of a", "handle of b"]);
});

test("a message that could not be taken stays in the queue, and its neighbours are deleted", async () => {
  const { queue, deleted } = aQueue([aMessage("a"), aMessage("b")]);
  const loop = aLoop(queue, async (_, raw) => {
    if (raw === "body of a") throw new AppError("UNAVAILABLE", "The database is away.");
    return "applied";
  });
  await loop.runOnce();
  expect(deleted).toEqual(["handle of b"]);
});

test("a message that breaks us three times is kept in quarantine, but never for trouble of our own", async () => {
  const take: Take = async (_, raw) => {
    if (raw.endsWith("ours")) throw new AppError("UNAVAILABLE", "away");
    if (raw.endsWith("late"))
      throw Object.assign(new Error("could not serialize"), { code: "40001", severity: "ERROR" });
    throw new Error("a bug");
  };
  const ours = [aMessage("ours", 9), aMessage("late", 9)];
  const { queue, deleted } = aQueue([aMessage("poison", 2)], [aMessage("poison", 3), ...ours]);
  const loop = aLoop(queue, take);
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

test("a queue that cannot be asked is asked again, and stopping ends the loop", async () => {
  const { queue, deleted } = aQueue(new Error("no connection"), [aMessage("a")]);
  const loop = aLoop(queue);
  loop.start();
  await expect.poll(() => deleted, { timeout: 5_000 }).toEqual(["handle of a"]);
  await loop.stop();
});

describe("what a consumer leaves behind", () => {
  beforeEach(() => change(database.db, "delete from feedback_consumers"));
  afterEach(() => vi.useRealTimers());

  test("nothing, while it takes all it is given", async () => {
    const { queue } = aQueue([aMessage("a")], []);
    const loop = aLoop(queue);
    await loop.heartbeat();
    await loop.runOnce();
    await loop.runOnce();
    await loop.heartbeat();
    expect(await consumersIn(database.db)).toMatchObject([ownRow]);
  });

  test("a message that it could not take", async () => {
    const { queue } = aQueue([aMessage("a"), aMessage("b")]);
    const loop = aLoop(queue, async (_, raw) => {
      if (raw === "body of a") throw new Error("a bug");
      return "applied";
    });
    await loop.runOnce();
    await loop.heartbeat();
    expect(await consumersIn(database.db)).toMatchObject([leftRow, ownRow]);
  });

  test("a message that it could not put into quarantine either, and its neighbours are deleted", async () => {
    const { queue, deleted } = aQueue([aMessage("a", 3), aMessage("b", 3)]);
    const { db, away } = aDatabaseThatGoes(database.db);
    const loop = aLoop(
      queue,
      async (_, raw) => {
        if (raw === "body of b") return "applied";
        away(true);
        setTimeout(() => away(false), 100);
        throw new Error("a bug");
      },
      db,
    );
    await loop.runOnce();
    expect(deleted).toEqual(["handle of b"]);
    await loop.heartbeat();
    expect(await consumersIn(database.db)).toMatchObject([leftRow, ownRow]);
  });

  test.for([
    ["what an answer held that was lost on its way", "unavailable", true, [leftRow, ownRow]],
    ["nothing, where there was no connection", "unavailable", false, [ownRow]],
    ["nothing, where it was refused", "denied", true, [ownRow]],
  ] as const)("%s", async ([, kind, hasLeft, rows]) => {
    const { queue } = aQueue(new ProviderError(kind, "no", undefined, hasLeft));
    const loop = aLoop(queue);
    await expect(loop.runOnce()).rejects.toThrow("no");
    await loop.heartbeat();
    expect(await consumersIn(database.db)).toMatchObject(rows);
  });

  test("it receives nothing before the first sign of life, nor ten seconds after the last", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { db, away } = aDatabaseThatGoes(database.db);
    away(true);
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
    away(false);
    await expect.poll(() => received, { timeout: 10_000 }).toBeGreaterThan(0);
    away(true);
    vi.advanceTimersByTime(10_000);
    await sleep(200);
    const before = received;
    await sleep(300);
    expect(received).toBe(before);
    await loop.stop();
  });
});
