import type { Queryable } from "../db/database.ts";
import { timeOfSendId } from "../sends/send-id.ts";
import { findDroppedBefore, minRetentionDays } from "../storage/record-retention.ts";

const dayMs = 86_400_000;

/**
 * Of sends that the database does not have, those whose months were dropped by the retention. Feedback about them can never be applied, so
 * it is discarded. Asks the database only when a send is old enough, which is rare.
 */
export async function findDroppedSends(db: Queryable, unknown: string[], nowMs: number): Promise<Set<string>> {
  const old = unknown.filter((id) => timeOfSendId(id) < nowMs - (minRetentionDays - 1) * dayMs);
  if (old.length === 0) return new Set();
  const droppedBefore = await findDroppedBefore(db);
  if (droppedBefore === undefined) return new Set();
  return new Set(old.filter((id) => timeOfSendId(id) < Date.parse(droppedBefore)));
}
