import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";

interface AccountMode {
  accountId: string;
  mode: Mode;
}

const sendsPerPage = 2_000;

/**
 * Counts the sends that were queued before the account got its quota, page by page through the whole queue: there is no index by
 * account. A send that is counted already stays as it is, so the command can be repeated.
 */
export async function countEarlierSends(db: Queryable, { accountId, mode }: AccountMode): Promise<void> {
  let after: string | null = "00000000-0000-0000-0000-000000000000";
  while (after !== null) {
    const [page]: { last: string | null }[] = await db.query<{ last: string | null }>({
      name: "count-earlier-sends",
      text: `
        with scanned as materialized (
          select id, account_id, mode
          from send_queue
          where id > $3
          order by id
          limit $4
        ), own as materialized (
          select q.id
          from scanned
          cross join lateral ${indexLookup(`
            select q.id
            from send_queue q
            where q.id = scanned.id
              and q.counted_recipients is null
            for update`)} q
          where scanned.account_id = $1
            and scanned.mode = $2
        ), counted as (
          update send_queue q
          set counted_recipients = cardinality(q.recipients)
          from own
          where q.id between own.id and own.id
          returning q.counted_recipients
        ), noted as (
          insert into queued_recipient_changes (account_id, mode, difference)
          select $1, $2, sum(counted_recipients)
          from counted
          having count(*) > 0
        )
        select max(id::text collate "C") as last
        from scanned`,
      values: [accountId, mode, after, sendsPerPage],
    });
    after = page?.last ?? null;
    // Claims and settlements go on between two pages.
    if (after !== null) await sleep(1);
  }
  await countScheduled(db, { accountId, mode });
}

/** Those that become due meanwhile are in the queue, uncounted; a repetition of the command counts them. */
async function countScheduled(db: Queryable, { accountId, mode }: AccountMode): Promise<void> {
  await db.query({
    name: "count-scheduled-sends",
    text: `
      with own as materialized (
        select id
        from scheduled_sends
        where account_id = $1
          and mode = $2
          and counted_recipients is null
        order by id
        for update
      ), counted as (
        update scheduled_sends p
        set counted_recipients = cardinality(p.recipients)
        from own
        where p.id between own.id and own.id
        returning p.counted_recipients
      )
      insert into queued_recipient_changes (account_id, mode, difference)
      select $1, $2, sum(counted_recipients)
      from counted
      having count(*) > 0`,
    values: [accountId, mode],
  });
}

/**
 * Sets the count to what is in the queue. A process of a version before the count removes sends without subtracting them. One statement
 * reads queue and count in one snapshot, in which they agree whatever runs beside it. Returns the difference that it removed.
 */
export async function correctQueuedRecipients(db: Queryable, { accountId, mode }: AccountMode): Promise<number> {
  const [row] = await db.query<{ difference: number }>({
    name: "correct-queued-recipients",
    text: `
      insert into queued_recipient_changes (account_id, mode, difference)
      select $1, $2, queued.recipients - folded.recipients - recent.recipients
      from (
        select coalesce(sum(counted_recipients), 0) as recipients
        from (
          select counted_recipients from send_queue where account_id = $1 and mode = $2
          union all
          select counted_recipients from scheduled_sends where account_id = $1 and mode = $2
        ) as waiting
      ) as queued, (
        select coalesce(sum(recipients), 0) as recipients
        from queued_recipient_counts
        where account_id = $1 and mode = $2
      ) as folded, (
        select coalesce(sum(difference), 0) as recipients
        from queued_recipient_changes
        where account_id = $1 and mode = $2
      ) as recent
      where queued.recipients <> folded.recipients + recent.recipients
      returning difference`,
    values: [accountId, mode],
  });
  return row?.difference ?? 0;
}
