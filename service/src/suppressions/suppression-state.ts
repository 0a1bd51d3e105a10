import type { AccountDatabase, Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import type { Suppression } from "./suppression-store.ts";

/** The last removal of an address in one mode. Kept for 90 days. */
export interface RemovedSuppression {
  mode: Mode;
  removedAt: string;
  removedByKind: "user" | "key";
  /** Null when the user or key no longer existed. */
  removedByName: string | null;
  providerStatus: "not_needed" | "pending" | "removed" | "kept" | "refused";
  providerFinishedAt: string | null;
  /** While pending; in the past until the next try begins. */
  providerNextTryAt: string | null;
  /** The kind of the last failed try. */
  providerError: "throttled" | "unavailable" | "denied" | "limit-reached" | "invalid" | null;
}

export interface SuppressionState {
  suppressions: Suppression[];
  removals: RemovedSuppression[];
}

/** Both lists have at most one entry for each mode, from one snapshot. */
export async function findSuppressionState(
  db: AccountDatabase,
  modes: readonly Mode[],
  /** In lower case. */
  email: string,
): Promise<SuppressionState> {
  const rows = await db.query<StateRow>({
    name: "find-suppression-state",
    text: `
      select given.mode, s.id, s.email, s.reason, s.suppressed_at as "suppressedAt", s.send_id as "sendId", s.note,
        r.removed_at as "removedAt", r.removed_by_kind as "removedByKind", r.removed_by_name as "removedByName",
        r.provider_status as "providerStatus", r.provider_finished_at as "providerFinishedAt",
        r.provider_next_try_at as "providerNextTryAt", r.provider_error as "providerError"
      from unnest($2::text[]) as given (mode)
      left join suppressions s on s.account_id = $1 and s.mode = given.mode and s.email = $3
      left join removed_suppressions r on r.account_id = $1 and r.mode = given.mode and r.email = $3
        and (r.removed_at > now() - interval '90 days' or r.provider_status = 'pending')
      order by given.mode`,
    values: [db.accountId, modes, email],
  });
  return { suppressions: rows.filter(isSuppressed), removals: rows.filter(isRemoved) };
}

type StateRow = (Suppression | { mode: Mode; id: null }) & (RemovedSuppression | { removedAt: null });

function isSuppressed(row: StateRow): row is StateRow & Suppression {
  return row.id !== null;
}

function isRemoved(row: StateRow): row is StateRow & RemovedSuppression {
  return row.removedAt !== null;
}

/** Serves all accounts. A removal that the provider has not finished stays. Returns how many rows it deleted, at most `limit`. */
export async function deleteOldRemovals(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "delete-old-removals",
    text: `
      delete from removed_suppressions
      where (account_id, mode, email) in (
        select account_id, mode, email
        from removed_suppressions
        where removed_at <= now() - interval '90 days'
          and provider_status <> 'pending'
        order by removed_at
        limit $1
        for update skip locked
      )
      returning email`,
    values: [limit],
  });
  return rows.length;
}
