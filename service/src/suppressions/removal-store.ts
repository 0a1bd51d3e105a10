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

/** Deletes only the note that was read: a newer note is another removal, which is still due. */
export async function deleteRemoval(db: Queryable, { email, note }: DueRemoval): Promise<void> {
  await db.query({
    name: "delete-removal",
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
