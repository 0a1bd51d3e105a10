import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";

/** A send that this worker alone may hand over, once, until the lease runs out. */
export interface ClaimedSend {
  id: string;
  accountId: string;
  mode: Mode;
  attempt: number;
  /** With microseconds, as the database knows it. */
  attemptedAt: string;
  backoffStep: number;
  /** Since the first try-later, without the time the provider was held; null when there was none. */
  retryingSeconds: number | null;
  fromDomain: string;
  domain: "verified" | "unverified" | "gone";
  configurationSetName: string | null;
  /** In lower case, without those that are suppressed by now. */
  recipients: string[];
  /** Null when it was dropped already, which retention never does to a send on its way. */
  sealed: Buffer | null;
}

export interface Claim {
  sends: ClaimedSend[];
  /** How many were put aside, because their account is held or suspended. */
  parked: number;
}

/** The provider has this long from the claim on to answer; then the send is in doubt. By the clock of the database. */
export const leaseSeconds = 60;

export interface ClaimOptions {
  mode: Mode;
  maxSends: number;
  /** Over all sends; the first is taken even if it has more, or it would never go. */
  maxRecipients: number;
  /** What has an earlier turn is not looked at: gone, as a look a moment ago has shown, but PostgreSQL may still keep it. */
  fromFairAt: string;
  /** Claims although the provider is held, but not against the operator. */
  isProbe: boolean;
}

/**
 * Serves all accounts. Takes the ready sends whose turn it is and checks each once more in the same snapshot: a
 * suppression or a change of the domain that was committed before always counts. Never waits for a lock. Sends of an
 * account that is held or suspended are parked instead, so that each is met once; `parked-sends.ts` brings them back.
 * Nothing is taken from a server that no worker has met: it may be a promoted standby or a restored copy.
 *
 * Every lookup is a lateral one with `offset 0`, so that no plan reads a whole table when the statistics are old.
 */
export async function claimSends(db: Queryable, options: ClaimOptions): Promise<Claim> {
  const rows = await db.query<ClaimedSend & { isParked: boolean }>({
    name: "claim-sends",
    text: `
      with picked as materialized (
        select id, account_id, mode, fair_at, from_domain, recipients
        from send_queue
        where state = 'ready' and mode = $1 and fair_at >= $2::timestamptz
          and (
            select operator_held_since is null and ($5 or hold_reason is null)
              and (server_run is null or server_run = server_run())
            from provider_state
            where mode = $1
          )
        order by fair_at, id
        limit $3
        for update skip locked
      ), afforded as materialized (
        select id, account_id, mode, fair_at, from_domain, recipients
        from (
          select *, row_number() over turn as place, sum(cardinality(recipients)) over turn as total
          from picked
          window turn as (order by fair_at, id rows unbounded preceding)
        ) as counted
        where place = 1 or total <= $4
      ), checked as materialized (
        select sending.id, sending.account_id, sending.mode, sending.recipients, allowed.recipients as allowed,
          case when sending.mode = 'test' and sending.from_domain = 'sandbox.test' then 'verified'
            else coalesce(domain.state, 'gone') end as domain,
          coalesce(domain.configuration_set_name, case sending.mode when 'test' then 'sandbox' end) as configuration_set_name,
          coalesce(account.is_stopped, true) as is_stopped
        from afforded sending
        cross join lateral (
          select coalesce(array_agg(given.email order by given.place) filter (where listed.email is null), '{}') as recipients
          from unnest(sending.recipients) with ordinality as given (email, place)
          left join lateral (
            select s.email
            from suppressions s
            where s.account_id = sending.account_id and s.mode = sending.mode and s.email = given.email
            offset 0
          ) as listed on true
        ) as allowed
        left join lateral (
          select case d.verification_status when 'Success' then 'verified' else 'unverified' end as state,
            d.configuration_set_name
          from domains d
          where d.account_id = sending.account_id and d.domain_name = sending.from_domain and d.registered_at is not null
          offset 0
        ) as domain on true
        left join lateral (
          select a.suspended_at is not null or a.held_at is not null as is_stopped
          from accounts a
          where a.id = sending.account_id
          offset 0
        ) as account on true
      ), told as (
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, suppression_reason, suppressed_at)
        select suppression_event_id(sending.id, listed.email), sending.id, sending.account_id, sending.mode, 'Suppression',
          now(), listed.email, listed.reason, listed.suppressed_at
        from checked sending
        cross join lateral unnest(sending.recipients) as given (email)
        cross join lateral (
          select s.email, s.reason, s.suppressed_at
          from suppressions s
          where s.account_id = sending.account_id and s.mode = sending.mode and s.email = given.email
          offset 0
        ) as listed
        where cardinality(sending.allowed) < cardinality(sending.recipients)
          and not sending.is_stopped
        order by 1
        on conflict (id) do nothing
      ), taken as (
        update send_queue q
        set state = case when checked.is_stopped then 'parked' else 'leased' end,
            attempt = case when checked.is_stopped then q.attempt else q.attempt + 1 end,
            attempted_at = case when checked.is_stopped then q.attempted_at else clock_timestamp() end,
            due_at = clock_timestamp() + make_interval(secs => case when checked.is_stopped then 0 else $6 end),
            recipients = case when checked.is_stopped then q.recipients else checked.allowed end
        from checked
        where q.id between checked.id and checked.id
        returning q.id, q.account_id, q.mode, q.state, q.fair_at, q.attempt, q.attempted_at, q.backoff_step,
          q.retrying_since, q.from_domain, q.recipients, checked.domain, checked.configuration_set_name
      )
      select taken.id, taken.account_id as "accountId", taken.mode, taken.attempt,
        taken.attempted_at::text as "attemptedAt", taken.backoff_step as "backoffStep",
        extract(epoch from retry_clock($1) - taken.retrying_since)::float8 as "retryingSeconds",
        taken.from_domain as "fromDomain", taken.domain, taken.configuration_set_name as "configurationSetName",
        taken.recipients, content.sealed, taken.state = 'parked' as "isParked"
      from taken
      left join lateral (
        select c.sealed
        from send_contents c
        where c.id = taken.id and taken.state = 'leased'
        offset 0
      ) as content on true
      order by taken.fair_at, taken.id`,
    values: [options.mode, options.fromFairAt, options.maxSends, options.maxRecipients, options.isProbe, leaseSeconds],
  });
  const sends = rows.filter((row) => !row.isParked);
  return { sends, parked: rows.length - sends.length };
}
