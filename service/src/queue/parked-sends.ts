import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";

const batchSize = 1_000;

/** ready → parked, for all sends of a held or suspended account, so that claims do not meet them. Returns the number. */
export async function parkSends(db: Queryable, accountId: string): Promise<number> {
  let parked = 0;
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const rows = await parkSome(db, accountId, after);
    parked += rows.length;
    if (rows.length < batchSize) return parked;
    after = rows.reduce((last, { id }) => (id > last ? id : last), after);
  }
}

/** Scans the queue in the order of ids: there is no index by account, and operators do this rarely. */
function parkSome(db: Queryable, accountId: string, after: string) {
  return db.query<{ id: string }>({
    name: "park-sends",
    text: `
      with found as materialized (
        select id
        from send_queue
        where id > $2
          and account_id = $1
          and state = 'ready'
          and exists (select from accounts where id = $1 and (held_at is not null or suspended_at is not null))
        order by id
        limit $3
        for update skip locked
      )
      update send_queue q
      set state = 'parked', due_at = now()
      from found
      where ${equalByIndex("q.id", "found.id")}
      returning q.id`,
    values: [accountId, after, batchSize],
  });
}

/**
 * parked → ready, for accounts that are neither held nor suspended any more. Parked time moves `fair_at` back, so that the sends of
 * others do not wait behind all of them, and does not use up the retry window. Serves all accounts and checks each parked account
 * once, however many sends it has. Returns the number of sends.
 */
export async function unparkSends(db: Queryable, mode: Mode): Promise<number> {
  const rows = await db.query({
    name: "unpark-sends",
    text: `
      with recursive parked as (
        (
          select account_id
          from send_queue
          where state = 'parked' and mode = $1
          order by account_id
          limit 1
        )
        union all
        select (
          select q.account_id
          from send_queue q
          where q.state = 'parked' and q.mode = $1 and q.account_id > parked.account_id
          order by q.account_id
          limit 1
        )
        from parked
        where parked.account_id is not null
      ), free as materialized (
        select parked.account_id
        from parked
        cross join lateral ${indexLookup(`
          select
          from accounts a
          where a.id = parked.account_id and a.held_at is null and a.suspended_at is null`)} as account
      ), due as materialized (
        select found.id
        from free
        cross join lateral (
          select q.id
          from send_queue q
          where q.state = 'parked' and q.mode = $1 and q.account_id = free.account_id
          limit $2
          for update skip locked
        ) as found
        limit $2
      )
      update send_queue q
      set state = 'ready', due_at = null, fair_at = q.fair_at + (now() - q.due_at),
          retrying_since = least(q.retrying_since + (now() - q.due_at), retry_clock(q.mode))
      from due
      where ${equalByIndex("q.id", "due.id")}
      returning q.id`,
    values: [mode, batchSize],
  });
  return rows.length;
}
