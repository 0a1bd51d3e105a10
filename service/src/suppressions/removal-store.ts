import type { Queryable } from "../db/database.ts";

/** An address that an account removed from its suppression list, still to be removed from the provider's list. */
export interface DueRemoval {
  email: string;
  note: string;
  tries: number;
  /** The recipient has complained about mail of any account since the removal was requested. */
  hasComplaint: boolean;
}

/** Serves all accounts: the provider has one list for all of them. */
export async function listDueRemovals(db: Queryable, limit: number): Promise<DueRemoval[]> {
  return db.query<DueRemoval>({
    name: "list-due-removals",
    text: `
      select r.email, r.note, r.tries, coalesce((
        select true
        from suppressions s
        where s.email = r.email
          and s.mode = 'live'
          and s.reason = 'complaint'
          and s.suppressed_at >= r.requested_at
        limit 1
      ), false) as "hasComplaint"
      from suppression_removals r
      where r.next_try_at <= now()
      order by r.next_try_at
      limit $1`,
    values: [limit],
  });
}

export type RemovalEnd = "removed" | "kept" | "refused";

/**
 * Deletes only the note that was read: a newer note is another removal, which is still due. The accounts that wait for this address see the
 * outcome with the same commit; with a newer note they wait for that one.
 */
export async function finishRemoval(db: Queryable, { email, note }: DueRemoval, end: RemovalEnd): Promise<void> {
  await db.query({
    name: "finish-removal",
    text: `
      with finished as (
        delete from suppression_removals
        where email = $1
          and note = $2
        returning email
      )
      update removed_suppressions
      set provider_status = $3, provider_finished_at = now(), provider_next_try_at = null,
        provider_error = case when $3 = 'refused' then 'invalid' end
      from finished
      where removed_suppressions.email = finished.email
        and provider_status = 'pending'`,
    values: [email, note, end],
  });
}

export async function postponeRemoval(
  db: Queryable,
  { email, note }: DueRemoval,
  { delaySeconds, error }: { delaySeconds: number; error: string },
): Promise<void> {
  await db.query({
    name: "postpone-removal",
    text: `
      with postponed as (
        update suppression_removals
        set tries = tries + 1, next_try_at = now() + make_interval(secs => $3)
        where email = $1
          and note = $2
        returning email, next_try_at
      )
      update removed_suppressions
      set provider_next_try_at = postponed.next_try_at, provider_error = $4
      from postponed
      where removed_suppressions.email = postponed.email
        and provider_status = 'pending'`,
    values: [email, note, delaySeconds, error],
  });
}
