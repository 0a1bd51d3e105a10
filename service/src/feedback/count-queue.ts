import type { Queryable } from "../db/database.ts";
import type { Chore } from "../loops/chores.ts";
import type { Mode } from "../mode.ts";
import { ProviderError } from "../provider/email-provider.ts";
import type { QueueCounts } from "../provider/feedback.ts";

interface CountDeps {
  db: Queryable;
  /** Undefined when no queue is configured. */
  count: (() => Promise<QueueCounts>) | undefined;
}

/** Every process shows the stored counts, so that SQS is asked twice a minute and not at every scrape. */
export function countQueueChores({ db, count }: CountDeps): Chore[] {
  if (count === undefined) return [];
  return [{ name: "count-feedback-queue", pauseSeconds: 30, run: () => countQueue(db, "live", count) }];
}

/** A worker without the permission is normal after an upgrade: the counts are then unknown, and the chore has not failed. */
export async function countQueue(db: Queryable, mode: Mode, count: () => Promise<QueueCounts>): Promise<void> {
  const counts = await count().catch((error: unknown) => {
    if (error instanceof ProviderError && error.kind === "denied") return undefined;
    throw error;
  });
  await db.query({
    name: "store-queue-counts",
    text: `
      update feedback_progress
      set queued_messages = $2, in_flight_messages = $3, dead_letters = $4, queue_counted_at = now()
      where mode = $1`,
    values: [mode, counts?.queued ?? null, counts?.inFlight ?? null, counts?.deadLetters ?? null],
  });
}
