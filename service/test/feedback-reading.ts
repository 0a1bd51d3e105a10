import type { Queryable } from "../src/db/database.ts";
import { AppError } from "../src/errors.ts";
import type { FeedbackQueue, ReceivedMessage } from "../src/provider/feedback.ts";

export function aMessage(id: string, receiveCount = 1): ReceivedMessage {
  const feedback = { kind: "unreadable", reason: "a test" } as const;
  return { id, body: `body of ${id}`, feedback, receiptHandle: `handle of ${id}`, receiveCount };
}

/** Gives these answers, one for each receive, and is closed then. */
export function aQueue(...answers: (ReceivedMessage[] | "closed" | Error)[]) {
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

/** The same database, which can be away. */
export function aDatabaseThatGoes(there: Queryable) {
  let isAway = false;
  const query: Queryable["query"] = async (given) => {
    if (isAway) throw new AppError("UNAVAILABLE", "The database is away.");
    return there.query(given);
  };
  const db: Queryable = { query };
  return { db, away: (is: boolean) => (isAway = is) };
}

/** 10 seconds without a sign, 20 of one receive, and as long as a message is hidden, which is next to nothing here. */
export const ownRow = { isLeft: false, backInSeconds: 30 };
export const leftRow = { isLeft: true, backInSeconds: 30 };

export function consumersIn(db: Queryable) {
  return db.query<{ id: string; isLeft: boolean; backInSeconds: number }>({
    name: "consumers",
    text: `
      select id, heartbeat_at = '-infinity' as "isLeft", round(extract(epoch from visible_again_at - now()))::int as "backInSeconds"
      from feedback_consumers
      where mode = 'live'
      order by heartbeat_at`,
  });
}

export async function signsIn(db: Queryable) {
  const [row] = await db.query<{ polled: boolean; emptySecondsAgo: number | null }>({
    name: "signs",
    text: `
      select polled_at is not null as polled, extract(epoch from now() - queue_empty_at)::float8 as "emptySecondsAgo"
      from feedback_progress
      where mode = 'live'`,
  });
  return row;
}
