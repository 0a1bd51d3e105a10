import type { Queryable } from "../db/database.ts";
import type { Chore } from "../loops/chores.ts";
import { foldQueuedRecipients, queuedRecipientChanges } from "./queued-recipients.ts";

const foldBatchSize = 5_000;
/** Long before the chore's 10-minute limit. */
const maxFoldMs = 60_000;

/** Keeps the counts of queued recipients short to read. */
export function queueChores({ db }: { db: Queryable }): Chore[] {
  return [
    {
      name: "fold-queued-recipients",
      pauseSeconds: 5,
      dueWhen: queuedRecipientChanges,
      run: () => foldChanges(db),
    },
  ];
}

async function foldChanges(db: Queryable): Promise<void> {
  const endsAt = performance.now() + maxFoldMs;
  while (performance.now() < endsAt && (await foldQueuedRecipients(db, foldBatchSize)) === foldBatchSize);
}
