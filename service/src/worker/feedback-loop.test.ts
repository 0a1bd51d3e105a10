import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { createLog } from "../log.ts";
import type { FeedbackQueue, ReceivedMessage } from "../provider/feedback.ts";
import { FeedbackLoop } from "./feedback-loop.ts";

const database = useTestDatabase();

function aMessage(id: string, receiveCount = 1): ReceivedMessage {
  const feedback = { kind: "unreadable", reason: "a test" } as const;
  return { id, body: `body of ${id}`, feedback, receiptHandle: `handle of ${id}`, receiveCount };
}

function aQueue(...answers: (ReceivedMessage[] | "closed" | Error)[]) {
  const deleted: string[] = [];
  const queue: FeedbackQueue = {
    hiddenSeconds: 0.05,
    receive: async () => {
      const answer = answers.shift() ?? "closed";
      if (answer instanceof Error) throw answer;
      return answer;
    },
    delete: async (handles) => {
      deleted.push(...handles);
      return [];
    },
    close: () => undefined,
  };
  return { queue, deleted };
}

type Take = ConstructorParameters<typeof FeedbackLoop>[0]["take"];

function aLoop(queue: FeedbackQueue, take: Take = async () => "applied", db: Queryable = database.db) {
  return new FeedbackLoop({ db, mode: "live", queue, take, receivers: 1, log: createLog("silent") });
}

async function signs() {
  const [row] = await database.db.query<{ polled: boolean; emptySecondsAgo: number | null }>({
    name: "signs",
    text: `
      select polled_at is not null as polled, extract(epoch from now() - empty_at)::float8 as "emptySecondsAgo"
      from feedback_signs
      where mode = 'live'`,
  });
  return row;
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

test("a queue counts as empty only after nothing came for as long as others may have messages in hand", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { queue } = aQueue([], [], [aMessage("a")], [], []);
    const loop = aLoop(queue);
    await loop.runOnce();
    await loop.beat();
    expect(await signs()).toEqual({ polled: true, emptySecondsAgo: null });
    vi.advanceTimersByTime(6_000);
    await loop.runOnce();
    await loop.beat();
    const first = (await signs())?.emptySecondsAgo ?? Number.POSITIVE_INFINITY;
    expect(first).toBeLessThan(5);
    // A message resets it: the next empty poll alone proves nothing.
    await loop.runOnce();
    await loop.runOnce();
    await loop.beat();
    const later = (await signs())?.emptySecondsAgo ?? 0;
    expect(later).toBeGreaterThan(first);
    await sleep(100);
    vi.advanceTimersByTime(6_000);
    await loop.runOnce();
    await loop.beat();
    expect((await signs())?.emptySecondsAgo).toBeLessThan(first + 0.1);
  } finally {
    vi.useRealTimers();
  }
});

test("a queue that cannot be asked is asked again, and stopping ends the loop", async () => {
  const { queue, deleted } = aQueue(new Error("no connection"), [aMessage("a")]);
  const loop = aLoop(queue);
  loop.start();
  await expect.poll(() => deleted, { timeout: 5_000 }).toEqual(["handle of a"]);
  await loop.stop();
});

describe("what a reader leaves behind", () => {
  const readers = () =>
    database.db.query<{ id: string; backInSeconds: number }>({
      name: "readers",
      text: `
        select id, extract(epoch from back_at - seen_at)::float8 as "backInSeconds"
        from feedback_readers
        where mode = 'live'
        order by seen_at`,
    });
  beforeEach(() => change(database.db, "delete from feedback_readers"));

  test("it renews one row while it takes all it is given", async () => {
    const { queue } = aQueue([aMessage("a")], []);
    const loop = aLoop(queue);
    await loop.beat();
    const before = await readers();
    await loop.runOnce();
    await loop.runOnce();
    await loop.beat();
    expect(await readers()).toEqual(before);
    // 10 without a sign, 20 of one receive, and as long as a message is hidden.
    expect(before).toMatchObject([{ backInSeconds: 30.05 }]);
  });

  test("after a message it could not take its row stays, and it goes on under another", async () => {
    const { queue } = aQueue([aMessage("a"), aMessage("b")]);
    const loop = aLoop(queue, async (_, raw) => {
      if (raw === "body of a") throw new Error("a bug");
      return "applied";
    });
    await loop.beat();
    const [left] = await readers();
    await loop.runOnce();
    await loop.beat();
    const [old, ...others] = await readers();
    expect(old).toEqual(left);
    expect(others).toHaveLength(1);
  });

  test("after a receive that failed too: its answer may have been lost on its way", async () => {
    const { queue } = aQueue(new Error("no connection"));
    const loop = aLoop(queue);
    await loop.beat();
    await expect(loop.runOnce()).rejects.toThrow("no connection");
    await loop.beat();
    expect(await readers()).toHaveLength(2);
  });

  test("nothing is received before the first sign of life", async () => {
    const { queue, deleted } = aQueue([aMessage("a")]);
    let isAway = true;
    const db = {
      ...database.db,
      query: async (query: never) => {
        if (isAway) throw new AppError("UNAVAILABLE", "The database is away.");
        return database.db.query(query);
      },
    } as Queryable;
    const receive = vi.spyOn(queue, "receive");
    const loop = aLoop(queue, async () => "applied", db);
    loop.start();
    await sleep(500);
    expect(receive).not.toHaveBeenCalled();
    isAway = false;
    await expect.poll(() => deleted, { timeout: 10_000 }).toEqual(["handle of a"]);
    await loop.stop();
  });
});
