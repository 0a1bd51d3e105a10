import { isStopped } from "../accounts/account-hold.ts";
import { isInRange } from "../db/code-range.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup, rowByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { contentOf } from "../sends/content-lookup.ts";
import type { TraceParent } from "../traceparent.ts";
import { usageKinds } from "../usage/usage-kinds.ts";
import { isDeniedDomain } from "./denied-domains.ts";
import { hasUnknownAttempt } from "./fail-queued.ts";

/** A send that only this worker may submit, once, until the lease ends. */
export interface ClaimedSend {
  id: string;
  accountId: string;
  mode: Mode;
  attempt: number;
  /** As text, with the microseconds of the database. */
  attemptedAt: string;
  backoffStep: number;
  /** From acceptance, or from the scheduled time, to this claim; null after the first attempt. */
  waitedSeconds: number | null;
  /** Seconds since the first try-later on the retry clock; null when there was none. */
  retryingSeconds: number | null;
  fromDomain: string;
  domain: "verified" | "unverified" | "gone";
  configurationSetName: string | null;
  /** The SES tenant of the account has the identity of the domain (domains/attach-tenants.ts). */
  hasTenant: boolean;
  /** Its account has an enabled endpoint for notifications. */
  hasWebhooks: boolean;
  /** The provider denies the domain, and this send tests whether it still does (denied-domains.ts). */
  isDomainProbe: boolean;
  /** In lower case, without suppressed ones. */
  recipients: string[];
  /** Until it expires, from before the claim was answered; null when it does not expire. Negative when it has expired. */
  expiresInMs: number | null;
  /** The outcome of an earlier attempt is unknown. Only known of a send that expires. */
  hasUnknownAttempt: boolean;
  /** Null when the content was deleted, which retention never does to a queued send. */
  sealed: Buffer | null;
  /** Null without attachments. The claim loads none. */
  attachmentBytes: number | null;
  /** Absent unless the operator traces sends and this one has a trace (delivery/trace-delivery.ts). */
  trace?: TraceParent | undefined;
}

/** The notification channels on which the API announces that a send of the mode is ready to be claimed. */
export const sendQueuedChannel: Record<Mode, string> = {
  live: "postern_send_queued",
  test: "postern_test_send_queued",
};

export interface Claim {
  sends: ClaimedSend[];
  /** How many were parked, because their account is held or suspended, or their domain is denied. */
  parked: number;
}

/** If the provider has not answered this long after the claim, on the clock of the database, the send becomes in doubt. Attachments add time. */
export const leaseSeconds = 60;

/** A connection that uploads attachments more slowly than this leaves the send in doubt. */
export const minUploadBytesPerSecond = 250_000;

export interface ClaimOptions {
  mode: Mode;
  maxSends: number;
  /** Over all sends. The first one is claimed even if it has more, or it would never go out. */
  maxRecipients: number;
  /** Over the contents of all sends: a worker holds no more than this in memory. */
  maxBytes?: number;
  /** Claims the first send even if its content is larger than `maxBytes`. */
  isFirstOfAnySize?: boolean;
  /** Sends with an earlier `fair_at` are skipped: the reservation just before found none. */
  fromFairAt: string;
  /** Claims although the provider is held, but not while the operator holds mail. */
  isProbe: boolean;
}

/**
 * Leases ready sends in the order of `fair_at` and checks each one again in the same snapshot, so every suppression and every change
 * of the domain that was committed before the claim counts. Serves all accounts and never waits for a lock.
 *
 * 1. `picked`: the first ready sends, unless mail is held, the server run is not the stored one (in-doubt/failover-store.ts), or this code
 *    is outside of the range of the schema (db/code-range.ts).
 * 2. `afforded`: as many of them as the granted recipients and the free memory allow. `octet_length` reads no content that is stored
 *    out of line, and neither do the steps up to the final select: they pass the pointer on.
 * 3. `checked`: the remaining recipients, the state of the domain, and whether the account or the domain is stopped: the account is
 *    held or suspended, or the provider denies the domain and this send is not its probe.
 * 4. `stored_events`: a Suppression event for each recipient that dropped out, with the time of the claim. The same statement removes
 *    the recipient from the queue row, so no other claim finds it there. `usage` counts them.
 * 5. `taken`: leased, or parked when the account or the domain is stopped, so that claims meet such a send only once.
 */
export async function claimSends(db: Queryable, options: ClaimOptions): Promise<Claim> {
  const rows = await db.query<ClaimedSend & { isParked: boolean }>({
    name: "claim-sends",
    text: `
      with claim as materialized (
        select clock_timestamp() as at
      ), picked as materialized (
        select id, account_id, mode, fair_at, due_at, from_domain, recipients, attachment_bytes, tags
        from send_queue
        where state = 'ready' and mode = $1 and fair_at >= $2::timestamptz
          and (
            select operator_held_since is null and ($5 or hold_reason is null)
              and (server_run is null or server_run = server_run())
            from provider_state
            where mode = $1
          )
          and ${isInRange}
        order by fair_at, id
        limit $3
        for update skip locked
      ), afforded as materialized (
        select id, account_id, mode, fair_at, due_at, from_domain, recipients, tags, sealed
        from (
          select picked.*, content.sealed, row_number() over queue_order as position,
            sum(cardinality(picked.recipients)) over queue_order as total,
            sum(coalesce(octet_length(content.sealed), 0) + coalesce(picked.attachment_bytes, 0)) over queue_order as bytes
          from picked
          left join lateral ${contentOf("picked.id")} as content on true
          window queue_order as (order by picked.fair_at, picked.id rows unbounded preceding)
        ) as counted
        where (position = 1 or total <= $4)
          and (bytes <= $7 or (position = 1 and $8))
      ), checked as materialized (
        select sending.id, sending.account_id, sending.mode, sending.due_at, sending.from_domain, sending.recipients, sending.tags, sending.sealed,
          allowed.recipients as allowed,
          case when sending.mode = 'test' and sending.from_domain = 'sandbox.test' then 'verified'
            else coalesce(domain.state, 'gone') end as domain,
          coalesce(domain.configuration_set_name, case sending.mode when 'test' then 'sandbox' end) as configuration_set_name,
          coalesce(domain.has_tenant, false) as has_tenant,
          sending.mode = 'live' and coalesce(domain.is_denied, false) as is_denied,
          coalesce(account.has_webhooks, false) as has_webhooks,
          coalesce(account.is_stopped, true)
            or (sending.mode = 'live' and coalesce(domain.is_denied and domain.probe_send_id is distinct from sending.id, false)) as is_stopped
        from afforded sending
        cross join lateral (
          select coalesce(array_agg(given.email order by given.position) filter (where listed.email is null), '{}') as recipients
          from unnest(sending.recipients) with ordinality as given (email, position)
          left join lateral ${indexLookup(`
            select s.email
            from suppressions s
            where s.account_id = sending.account_id and s.mode = sending.mode and s.email = given.email`)} as listed on true
        ) as allowed
        left join lateral ${indexLookup(`
          select case d.verification_status when 'Success' then 'verified' else 'unverified' end as state,
            d.configuration_set_name, d.tenant_ready_at is not null as has_tenant, ${isDeniedDomain} as is_denied, d.probe_send_id
          from domains d
          where ${rowByIndex(["d.account_id", "d.domain_name"], ["sending.account_id", "sending.from_domain"])}
            and d.registered_at is not null`)} as domain on true
        left join lateral ${indexLookup(`
          select ${isStopped("a", "sending.mode")} as is_stopped, a.has_webhooks
          from accounts a
          where a.id = sending.account_id`)} as account on true
      ), stored_events as (
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, suppression_reason, suppressed_at)
        select new_id_at(occurred.at), sending.id, sending.account_id, sending.mode, 'Suppression', occurred.at, listed.email,
          listed.reason, listed.suppressed_at
        from checked sending
        cross join lateral (select greatest(claim.at, time_of_id(sending.id)) as at from claim) as occurred
        cross join lateral unnest(sending.recipients) as given (email)
        cross join lateral ${indexLookup(`
          select s.email, s.reason, s.suppressed_at
          from suppressions s
          where s.account_id = sending.account_id and s.mode = sending.mode and s.email = given.email`)} as listed
        where cardinality(sending.allowed) < cardinality(sending.recipients)
          and not sending.is_stopped
        returning send_id, event_at
      ), usage as (
        insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, tags)
        select sending.account_id, hour_number(stored.event_at), count(*), ${usageKinds.suppressed}, sending.mode = 'test', sending.from_domain,
          sending.tags
        from stored_events stored
        join checked sending on sending.id = stored.send_id
        group by sending.account_id, sending.mode, sending.from_domain, sending.tags, hour_number(stored.event_at)
      ), taken as (
        update send_queue q
        set state = case when checked.is_stopped then 'parked' else 'leased' end,
            attempt = case when checked.is_stopped then q.attempt else q.attempt + 1 end,
            attempted_at = case when checked.is_stopped then q.attempted_at else clock_timestamp() end,
            due_at = clock_timestamp() + make_interval(secs => case when checked.is_stopped then 0
              else $6 + coalesce(q.attachment_bytes, 0) / $9 end),
            recipients = case when checked.is_stopped then q.recipients else checked.allowed end
        from checked
        where ${equalByIndex("q.id", "checked.id")}
        returning q.id, q.account_id, q.mode, q.state, q.fair_at, q.attachment_bytes, q.attempt, q.attempted_at, q.backoff_step,
          q.retrying_since, q.expires_at, q.from_domain, q.recipients, checked.domain, checked.configuration_set_name, checked.has_tenant, checked.has_webhooks, checked.is_denied,
          case when not checked.is_stopped then checked.sealed end as sealed,
          case when q.attempt = 1 then extract(epoch from q.attempted_at - coalesce(checked.due_at, time_of_id(q.id)))::float8 end as waited_seconds
      )
      select taken.id, taken.account_id as "accountId", taken.mode, taken.attempt,
        taken.attempted_at::text as "attemptedAt", taken.backoff_step as "backoffStep", taken.waited_seconds as "waitedSeconds",
        extract(epoch from retry_clock($1) - taken.retrying_since)::float8 as "retryingSeconds",
        taken.from_domain as "fromDomain", taken.domain, taken.configuration_set_name as "configurationSetName",
        taken.has_tenant as "hasTenant", taken.has_webhooks as "hasWebhooks", taken.is_denied as "isDomainProbe",
        (1000 * extract(epoch from taken.expires_at - clock_timestamp()))::float8 as "expiresInMs",
        taken.expires_at is not null and taken.attempt > 1 and ${hasUnknownAttempt("taken.id")} as "hasUnknownAttempt",
        taken.recipients, taken.sealed, taken.attachment_bytes as "attachmentBytes", taken.state = 'parked' as "isParked"
      from taken
      order by taken.fair_at, taken.id`,
    values: [
      options.mode,
      options.fromFairAt,
      options.maxSends,
      options.maxRecipients,
      options.isProbe,
      leaseSeconds,
      options.maxBytes ?? Number.MAX_SAFE_INTEGER,
      options.isFirstOfAnySize ?? true,
      minUploadBytesPerSecond,
    ],
  });
  const sends = rows.filter((row) => !row.isParked);
  return { sends, parked: rows.length - sends.length };
}
