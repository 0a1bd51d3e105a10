import { isStopped } from "../accounts/account-hold.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { isDeniedDomain } from "./denied-domains.ts";

const batchSize = 1_000;
const scanSize = 5_000;

/** ready → parked, for all sends of a stopped account, so that claims do not meet them. Returns the number. */
export async function parkSends(db: Queryable, accountId: string): Promise<number> {
  let parked = 0;
  for (let after: string | undefined = firstSend; after !== undefined; ) {
    const step = await parkSome(db, accountId, after);
    parked += step.parked;
    after = step.lastId;
  }
  return parked;
}

/** Where a scan of the queue starts. */
export const firstSend = "00000000-0000-0000-0000-000000000000";

/**
 * One bounded step of `parkSends`: looks at the next 5,000 sends of all accounts in the order of ids, because there is no index by
 * account. Skips sends that another transaction has locked: a claim parks them. `lastId` is undefined at the end of the queue.
 */
export async function parkSome(
  db: Queryable,
  accountId: string,
  after: string,
): Promise<{ parked: number; lastId: string | undefined }> {
  const [row] = await db.query<{ parked: number; scanned: number; lastId: string | null }>({
    name: "park-sends",
    text: `
      with scanned as materialized (
        select id, account_id, state
        from send_queue
        where id > $2
        order by id
        limit $3
      ), found as materialized (
        select unlocked.id
        from scanned
        cross join lateral (
          select q.id
          from send_queue q
          where q.id = scanned.id and q.state = 'ready'
            and exists ${indexLookup(`select from accounts a where a.id = $1 and ${isStopped("a", "q.mode")}`)}
          for update of q skip locked
        ) as unlocked
        where scanned.account_id = $1 and scanned.state = 'ready'
      ), moved as (
        update send_queue q
        set state = 'parked', due_at = now()
        from found
        where ${equalByIndex("q.id", "found.id")}
        returning q.id
      )
      select (select count(*) from moved) as parked, count(*) as scanned,
        (select id from scanned order by id desc limit 1) as "lastId"
      from scanned`,
    values: [accountId, after, scanSize],
  });
  const isLast = row === undefined || row.scanned < scanSize;
  return { parked: row?.parked ?? 0, lastId: isLast ? undefined : (row.lastId ?? undefined) };
}

/**
 * parked → ready, for accounts that are no longer stopped (accounts/account-hold.ts), and domains that the provider no longer denies. Parked
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
          where a.id = parked.account_id and not ${isStopped("a", "$1")}`)} as account
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
