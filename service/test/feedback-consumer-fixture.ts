import type { Queryable } from "../src/db/database.ts";
import { AppError } from "../src/errors.ts";
import type { FeedbackQueue, ReceivedMessage } from "../src/provider/feedback.ts";

export function aMessage(id: string, receiveCount = 1): ReceivedMessage {
  const feedback = { kind: "unreadable", reason: "a test" } as const;
  return { id, body: `body of ${id}`, feedback, receiptHandle: `handle of ${id}`, receiveCount };
}

/** A queue that gives one of these answers to each receive, then reports that it is closed. */
export function aQueue(...answers: (ReceivedMessage[] | "closed" | Error)[]) {
  const deleted: string[] = [];
  const queue: FeedbackQueue = {
    visibilityTimeoutSeconds: 0.05,
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

/** The same database, with an outage that a test starts and ends. */
export function aDatabaseWithOutages(working: Queryable) {
  let isDown = false;
  const query: Queryable["query"] = async (statement) => {
    if (isDown) throw new AppError("UNAVAILABLE", "The database is down.");
    return working.query(statement);
  };
  const db: Queryable = { query };
  return { db, setDown: (down: boolean) => (isDown = down) };
}

/** 30 seconds: 10 without a heartbeat, 20 for one receive, plus the visibility timeout, which is almost zero here. */
export const liveConsumer = { hasLeft: false, visibleAgainInSeconds: 30 };
export const leftConsumer = { hasLeft: true, visibleAgainInSeconds: 30 };

export function consumersIn(db: Queryable) {
  return db.query<{ id: string; hasLeft: boolean; visibleAgainInSeconds: number }>({
    name: "consumers",
    text: `
      select id, heartbeat_at = '-infinity' as "hasLeft", round(extract(epoch from visible_again_at - now()))::int as "visibleAgainInSeconds"
      from feedback_consumers
      where mode = 'live'
      order by heartbeat_at`,
  });
}

export async function readProgress(db: Queryable) {
  const [row] = await db.query<{ polled: boolean; emptySecondsAgo: number | null }>({
    name: "feedback-progress",
    text: `
      select polled_at is not null as polled, extract(epoch from now() - queue_empty_at)::float8 as "emptySecondsAgo"
      from feedback_progress
      where mode = 'live'`,
  });
  return row;
}
