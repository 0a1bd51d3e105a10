import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { createLog } from "../log.ts";
import { ProviderError } from "../provider/email-provider.ts";
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
    database.db.query<{ id: string; isLeft: boolean; backInSeconds: number }>({
      name: "readers",
      text: `
        select id, seen_at = '-infinity' as "isLeft", round(extract(epoch from back_at - now()))::int as "backInSeconds"
        from feedback_readers
        where mode = 'live'
        order by seen_at`,
    });
  // 10 without a sign, 20 of one receive, and as long as a message is hidden, which is next to nothing here.
  const own = { isLeft: false, backInSeconds: 30 };
  const left = { isLeft: true, backInSeconds: 30 };
  beforeEach(() => change(database.db, "delete from feedback_readers"));
  afterEach(() => vi.useRealTimers());

  test("nothing, while it takes all it is given", async () => {
    const { queue } = aQueue([aMessage("a")], []);
    const loop = aLoop(queue);
    await loop.beat();
    await loop.runOnce();
    await loop.runOnce();
    await loop.beat();
    expect(await readers()).toMatchObject([own]);
  });

  test("a message that it could not take", async () => {
    const { queue } = aQueue([aMessage("a"), aMessage("b")]);
    const loop = aLoop(queue, async (_, raw) => {
      if (raw === "body of a") throw new Error("a bug");
      return "applied";
    });
    await loop.runOnce();
    await loop.beat();
    expect(await readers()).toMatchObject([left, own]);
  });

  test("a message that it could not put into quarantine either, and its neighbours are deleted", async () => {
    const { queue, deleted } = aQueue([aMessage("a", 3), aMessage("b", 3)]);
    const { db, away } = aDatabase();
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
    await loop.beat();
    expect(await readers()).toMatchObject([left, own]);
  });

  test.for([
    ["what an answer held that was lost on its way", "unavailable", true, [left, own]],
    ["nothing, where there was no connection", "unavailable", false, [own]],
    ["nothing, where it was refused", "denied", true, [own]],
  ] as const)("%s", async ([, kind, hasLeft, rows]) => {
    const { queue } = aQueue(new ProviderError(kind, "no", undefined, hasLeft));
    const loop = aLoop(queue);
    await expect(loop.runOnce()).rejects.toThrow("no");
    await loop.beat();
    expect(await readers()).toMatchObject(rows);
  });

  test("what it was given while it was stopped; and it does not call a queue empty that it did not ask", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { queue } = aQueue([], [], []);
    const loop = aLoop(queue);
    await loop.beat();
    await loop.runOnce();
    vi.advanceTimersByTime(5_000);
    await loop.runOnce();
    await loop.beat();
    expect(await readers()).toMatchObject([own]);
    await change(database.db, "update feedback_signs set empty_at = null");
    vi.advanceTimersByTime(45_000);
    await loop.beat();
    expect(await readers()).toMatchObject([left, own]);
    expect((await signs())?.emptySecondsAgo).toBeNull();
  });

  test("a queue was empty when it was last asked, not when that is told", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { queue } = aQueue([], []);
    const loop = aLoop(queue);
    await loop.runOnce();
    vi.advanceTimersByTime(6_000);
    await loop.runOnce();
    vi.advanceTimersByTime(8_000);
    await loop.beat();
    expect((await signs())?.emptySecondsAgo).toBeGreaterThan(8);
  });

  test("it receives nothing before the first sign of life, nor ten seconds after the last", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { db, away } = aDatabase();
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

  function aDatabase() {
    let isAway = false;
    const query: Queryable["query"] = async (given) => {
      if (isAway) throw new AppError("UNAVAILABLE", "The database is away.");
      return database.db.query(given);
    };
    return { db: { ...database.db, query } as Queryable, away: (is: boolean) => (isAway = is) };
  }
});
