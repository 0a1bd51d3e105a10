import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { isDeniedDomain } from "./denied-domains.ts";

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
 * parked → ready, for accounts that are neither held nor suspended any more, and domains that the provider no longer denies. Parked
 * time moves `fair_at` back, so that the sends of others do not wait behind all of them, and does not use up the retry window. Serves
 * all accounts and checks each parked account, and each parked domain of a free account, once, however many sends it has. Returns
 * the number of sends.
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
      ), free_accounts as materialized (
        select parked.account_id
        from parked
        cross join lateral ${indexLookup(`
          select
          from accounts a
          where a.id = parked.account_id and a.held_at is null and a.suspended_at is null`)} as account
      ), parked_domains as (
        select account_id, ${nextDomain("free_accounts.account_id", "''")} as from_domain
        from free_accounts
        union all
        select account_id, ${nextDomain("earlier.account_id", "earlier.from_domain")}
        from parked_domains earlier
        where earlier.from_domain is not null
      ), free as materialized (
        select parked_domains.account_id, parked_domains.from_domain
        from parked_domains
        left join lateral ${indexLookup(`
          select true as is_denied
          from domains d
          where d.account_id = parked_domains.account_id and d.domain_name = parked_domains.from_domain
            and $1 = 'live' and ${isDeniedDomain}`)} as domain on true
        where parked_domains.from_domain is not null and domain.is_denied is null
      ), due as materialized (
        select found.id
        from free
        cross join lateral (
          select q.id
          from send_queue q
          where q.state = 'parked' and q.mode = $1 and q.account_id = free.account_id and q.from_domain = free.from_domain
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

/** SQL: the first domain after `domain` with parked sends of the account; null when there is none. */
function nextDomain(account: string, domain: string): string {
  return `(
          select q.from_domain
          from send_queue q
          where q.state = 'parked' and q.mode = $1 and q.account_id = ${account} and q.from_domain > ${domain}
          order by q.from_domain
          limit 1
        )`;
}
