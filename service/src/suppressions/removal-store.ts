import type { Queryable } from "../db/database.ts";

/** An address that was taken off a list of ours and is to be taken off the provider's. */
export interface DueRemoval {
  email: string;
  note: string;
  tries: number;
  /** Somebody complained since it was asked for, to whichever account. */
  hasComplaint: boolean;
}

/** Over all accounts, because the provider has one list for all of them. */
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

/** Only the note that was read: one written since means another removal, which is still to be done. */
export async function forgetRemoval(db: Queryable, { email, note }: DueRemoval): Promise<void> {
  await db.query({
    name: "forget-removal",
    text: `
      delete from suppression_removals
      where email = $1
        and note = $2`,
    values: [email, note],
  });
}

export async function postponeRemoval(db: Queryable, { email, note }: DueRemoval, delaySeconds: number): Promise<void> {
  await db.query({
    name: "postpone-removal",
    text: `
      update suppression_removals
      set tries = tries + 1, next_try_at = now() + make_interval(secs => $3)
      where email = $1
        and note = $2`,
    values: [email, note, delaySeconds],
  });
}
