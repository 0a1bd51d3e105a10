import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";

interface AccountMode {
  accountId: string;
  mode: Mode;
}

/** SQL: what `uncountQueued` needs, in the `returning` of a delete from `send_queue q`. */
export const uncountColumns =
  "q.account_id as queue_account_id, q.mode as queue_mode, q.counted_recipients as counted_recipients";

/**
 * SQL: the step that subtracts the sends that the step `deleted` removed from the queue. Every statement that deletes from the queue
 * has it. A trigger would do the same, but it fetches every deleted row again: 9 % more blocks to settle a send of any account.
 */
export function uncountQueued(deleted: string): string {
  return `
        insert into queued_recipient_changes (account_id, mode, difference)
        select queue_account_id, queue_mode, -sum(counted_recipients)
        from ${deleted}
        where counted_recipients is not null
        group by queue_account_id, queue_mode`;
}

/** The queued recipients of accounts with a quota for them, in the order given: the folded count and the changes since, in one snapshot. */
export async function readQueuedRecipients(db: Queryable, accounts: AccountMode[]): Promise<number[]> {
  const rows = await db.query<{ recipients: number }>({
    name: "read-queued-recipients",
    text: `
      select (coalesce(folded.recipients, 0) + coalesce(recent.recipients, 0))::bigint as recipients
      from unnest($1::uuid[], $2::text[]) with ordinality as given (account_id, mode, position)
      left join lateral ${indexLookup(`
        select c.recipients
        from queued_recipient_counts c
        where c.account_id = given.account_id
          and c.mode = given.mode`)} folded on true
      left join lateral ${indexLookup(`
        select sum(c.difference) as recipients
        from queued_recipient_changes c
        where c.account_id = given.account_id
          and c.mode = given.mode`)} recent on true
      order by given.position`,
    values: [uuidArray(accounts.map(({ accountId }) => accountId)), textArray(accounts.map(({ mode }) => mode))],
  });
  return rows.map(({ recipients }) => recipients);
}

/**
 * Serves all accounts: folds the oldest changes into the counts and returns how many it folded. One commit deletes a change and adds it
 * to its count, so every query sees it exactly once. Concurrent folds take different changes.
 */
export async function foldQueuedRecipients(db: Queryable, batchSize: number): Promise<number> {
  const [row] = await db.query<{ taken: number }>({
    name: "fold-queued-recipients",
    text: `
      with taken as (
        delete from queued_recipient_changes
        where id in (
          select id
          from queued_recipient_changes
          order by id
          limit $1
          for update skip locked
        )
        returning account_id, mode, difference
      ), folded as (
        insert into queued_recipient_counts as known (account_id, mode, recipients)
        select account_id, mode, sum(difference)
        from taken
        group by account_id, mode
        order by account_id, mode
        on conflict (account_id, mode) do update
        set recipients = known.recipients + excluded.recipients
      )
      select count(*)::integer as taken
      from taken`,
    values: [batchSize],
  });
  return row?.taken ?? 0;
}

/** SQL for `dueWhen` of the chore. Costs less than to look for the rows. */
export const queuedRecipientChanges = "select from queued_recipient_changes order by id limit 1";
