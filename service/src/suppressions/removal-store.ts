import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";

/** An address that an account removed from its suppression list, still to be removed from the provider's list. */
export interface DueRemoval {
  email: string;
  note: string;
  tries: number;
  /** The provider has reported a complaint about mail of any account since the removal was requested. */
  hasComplaint: boolean;
}

/** SQL for `dueWhen` of the chore. Costs less than to look for the rows. */
export const dueRemovals = `
        select
        from suppression_removals
        where next_try_at <= now()
        order by next_try_at
        limit 1`;

/** The oldest due removals, which are ordered by account. */
const maxCandidates = 10_000;

/** Serves all accounts: the provider has one list for all of them. The first removal of every account comes before the second of any. */
export async function listDueRemovals(db: Queryable, limit: number): Promise<DueRemoval[]> {
  return db.query<DueRemoval>({
    name: "list-due-removals",
    text: `
      with due as materialized (
        select email, note, tries, requested_at, next_try_at
        from suppression_removals
        where next_try_at <= now()
        order by next_try_at
        limit $2
      ), positioned as materialized (
        select due.*, row_number() over (partition by waiting.account_id order by due.next_try_at) as position
        from due
        left join lateral ${indexLookup(`
          select w.account_id
          from removed_suppressions w
          where w.email = due.email
            and w.provider_status = 'pending'
          limit 1`)} as waiting on true
      )
      select r.email, r.note, r.tries, coalesce((
        select true
        from suppressions s
        where s.email = r.email
          and s.mode = 'live'
          and s.reason = 'complaint'
          and s.reported_reason = 'complaint' -- an import can claim a complaint
          and s.reported_at >= r.requested_at
        limit 1
      ), false) as "hasComplaint"
      from positioned r
      order by r.position, r.next_try_at
      limit $1`,
    values: [limit, maxCandidates],
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
