import { holdReason } from "../accounts/account-hold.ts";
import { isCurrent, isUsable, newestSecretId } from "../api-keys/api-key-store.ts";
import { requireInRange } from "../db/code-range.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { usageKinds } from "../usage/usage-kinds.ts";
import { findAttached, linkAttached, noAttached } from "./link-attachments.ts";
import { acceptQueueHead, isFarBehind, rateLimitStep } from "./rate-limit.ts";

/** SQL: the status in the first answer for the send `s`. */
export const firstStatus =
  "case when cardinality(s.suppressed_recipients) = cardinality(s.to_addresses) then 'suppressed' else 'queued' end";

/**
 * Decides requests of any accounts with up to 200 mails in one round trip, and stores and queues what it accepts in one commit. The steps:
 *
 * 1. `request`: the parameters as rows, one per mail. A request with an invalid body has no payload and only counts against the rate limit.
 *    The mails of one request are consecutive, and only the last one has `ends_request`; it is null for all mails of a counted request. Code outside of the range of the schema fails here,
 *    as a column and not as a condition, which would change the estimates of the plan.
 * 2. `allowed`: the account is not suspended, the key is neither revoked nor expired and may send from this domain, and its secret has
 *    not ended; the login of a JWT is open, and its user is still a developer or owner. A request that is not allowed has no row in the
 *    result.
 * 3. `counted`: how many requests of each account the rate limit admits (rate-limit.ts).
 * 4. `attached`, `evaluated`, `fit`: are all attachments there, is the domain verified, which recipients are suppressed, and with that the
 *    first status.
 * 5. `generated`, `reserved_keys`, `answer`, `original`: an idempotency key that was used before gets its first answer again, also when
 *    the domain is no longer verified or a quota is used up (quotas.ts). The id of a send without a key of its own counts as its key.
 * 6. `stored`, `sealed`, `suppression_events`, `usage`, `queued`, `scheduled`, `counted_queue`, `tails`, `linked`: the record, its content,
 *    its Suppression events, what it adds to the usage of its account, its row in the queue, or with its content among those that wait for
 *    their time, what that adds to the quota of queued recipients, for an account far behind the others its newest queued send, and the
 *    attachments now belong to the send.
 *    PostgreSQL runs every insert of a `with`, even when nothing reads it.
 *
 * Every lookup goes by index, whatever the statistics say: joins use `indexLookup`, and yes-or-no questions are written as
 * `coalesce((select true …), false)` and not as `exists`. `materialized` computes a step once.
 */
/** Only batches with a key of that form look for its send: the lookup opens every partition of `sends`. */
const findGenerated = `
  -- The caller read this key in an answer, so the send is committed and no two requests race for it.
  select e.position, s.*
  from evaluated e
  cross join lateral ${indexLookup(`
    select s.id as send_id, s.payload_hash, ${firstStatus} as status, s.suppressed_recipients, s.queued_at
    from sends s
    where s.id = e.generated_key
      and s.account_id = e.account_id
      and s.mode = e.mode
      and s.payload_hash is not null`)} s
  where e.is_admitted
    and e.has_payload
    and e.generated_key is not null`;

const noGenerated = `
  select null::bigint as position, null::uuid as send_id, null::bytea as payload_hash, null::text as status,
    null::text[] as suppressed_recipients, null::timestamptz as queued_at
  where false`;

/** SQL: the login `r.credential_id` is open, and its user may send for the account `a` now. */
const isLoginOfSender = `coalesce((
        select coalesce((
          select m.role in ('developer', 'owner')
          from memberships m
          where m.user_id = l.user_id
            and m.account_id = l.account_id
        ), false) and not (a.totp_required and coalesce((
          select u.totp_enabled_at is null and not u.is_oidc
          from users u
          where u.id = l.user_id
        ), true))
        from logins l
        where l.id = r.credential_id
          and l.account_id = r.account_id
          and l.expires_at > now()
      ), false)`;

/** SQL: when the request `r` with the answer `a` expires; null when it does not. */
const expiry =
  "coalesce(r.expires_at::timestamptz, greatest(a.decided_at, r.scheduled_at::timestamptz) + make_interval(secs => r.ttl_seconds))";

/** SQL: the request `r` with the answer `a` waits for its time. A time in the past is now. */
const isScheduled = "coalesce(r.scheduled_at::timestamptz > a.decided_at, false)";

const countedRecipients = `case when r.is_counted
      then cardinality(string_to_array(a.recipients, ',')) - coalesce(cardinality(a.suppressed), 0) end`;

const remainingRecipients = `case when a.suppressed is null then string_to_array(a.recipients, ',')
      else array(
        select e.email
        from unnest(string_to_array(a.recipients, ',')) with ordinality as e (email)
        where e.email <> all (a.suppressed)
        order by e.ordinality
      ) end`;

interface Variant {
  hasGeneratedKeys: boolean;
  hasAttachments: boolean;
  hasTraces: boolean;
}

/** SQL: the trace of the answer `a`. The parameter comes after those of every variant. */
const traceContext = "($33::bytea[])[a.position::integer]";

export const acceptStatement = ({ hasGeneratedKeys, hasAttachments, hasTraces }: Variant) => `
with request as materialized (
  select r.*, ${requireInRange} as is_in_range
  from unnest(
    $1::uuid[], $2::text[], $3::uuid[], $4::boolean[], $5::uuid[], $6::uuid[], $7::bytea[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::smallint[], $13::smallint[], $14::text[], $15::text[], $16::bytea[], $17::uuid[],
    $18::bytea[], $19::uuid[], $20::boolean[], $21::boolean[], $22::text[], $23::text[], $24::text[], $25::boolean[],
    $26::integer[], $27::integer[], $28::text[], $29::integer[], $30::text[]
  ) with ordinality as r (
    account_id, mode, credential_id, has_payload, send_id, idempotency_hash, fingerprint, from_domain, from_address,
    recipients, to_addresses, to_count, cc_count, reply_to, subject, sealed, api_key_id,
    payload_hash, generated_key, is_over_quota, is_counted, idempotency_key, tags, metadata, ends_request,
    attachment_chunks, attachment_bytes, expires_at, ttl_seconds, scheduled_at, position
  )
), allowed as materialized (
  -- credential_id is the secret of the key, or without a key the login. The account, the mode and the secrets of a key never change, so the API process knows them. Whether they are usable is checked here,
  -- in the commit that stores the send. from_domain is the domain that must be verified. The running sums are for the rate limit and fair_at.
  select r.position, r.account_id, r.mode, r.ends_request, account.limits, account.hold_reason, account.keeps_key_texts,
    sum(case when r.has_payload then cardinality(string_to_array(r.recipients, ',')) else 0 end)
      over (partition by r.account_id, r.mode order by r.position)::bigint as recipient_sum,
    -- The mails of a request have the position of the last one; those of a request that was counted before have 0, which is always admitted.
    case when r.ends_request is null then 0
      else count(*) filter (where r.ends_request) over (partition by r.account_id, r.mode order by r.position)
        + (not r.ends_request)::integer end as position_in_account
  from request r
  cross join lateral ${indexLookup(`
    select array[a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute] as limits, ${holdReason("a", "r.mode")} as hold_reason, a.has_webhooks or a.keeps_key_texts as keeps_key_texts
    from accounts a
    where a.id = r.account_id
      and a.suspended_at is null
      and case when r.api_key_id is null then r.credential_id is null or ${isLoginOfSender} else coalesce((
        select true
        from api_keys k
        where k.id = r.api_key_id
          and k.account_id = r.account_id
          and k.type = r.mode
          and ${isUsable("k")}
          and 'send' = any (k.scopes)
          and (k.domain is null or not r.has_payload or k.domain = r.from_domain)
          and case
            when r.credential_id = ${newestSecretId("k")} then true
            else coalesce((
              select ${isCurrent("s")}
              from api_key_secrets s
              where s.id = r.credential_id
                and s.key_id = k.id
            ), false) end
      ), false) end`)} account
), counted as (${rateLimitStep(acceptQueueHead)}
), attached as materialized (${hasAttachments ? findAttached : noAttached}
), evaluated as materialized (
  select r.position, r.attachment_chunks is not null as has_attachments,
    r.attachment_chunks is null or r.position in (select position from attached) as is_complete, r.account_id, r.mode, r.has_payload, r.send_id, r.idempotency_hash, r.fingerprint, r.generated_key, r.recipients,
    r.is_over_quota, a.position_in_account <= c.granted as is_admitted, a.hold_reason, a.keeps_key_texts,
    c.decided_at, c.retry_ms, c.remaining, a.limits, greatest(0, c.granted - a.position_in_account)::integer as granted_after_it,
    c.fair_before + a.recipient_sum * interval '60 s' / a.limits[3] as fair_at,
    -- In test mode every account may send from sandbox.test.
    (r.mode = 'test' and r.from_domain = 'sandbox.test') or coalesce((
      select true
      from domains d
      where d.account_id = r.account_id
        and d.domain_name = r.from_domain
        and d.verification_status = 'Success'
    ), false) as is_domain_verified,
    (
      select array_agg(s.email order by e.ordinality)
      from unnest(string_to_array(r.recipients, ',')) with ordinality as e (email)
      cross join lateral ${indexLookup(`
        select s.email
        from suppressions s
        where s.account_id = r.account_id
          and s.mode = r.mode
          and s.email = e.email`)} s
    ) as suppressed
  from allowed a
  join request r using (position)
  join counted c on c.account_id = a.account_id and c.mode = a.mode
), generated as materialized (${hasGeneratedKeys ? findGenerated : noGenerated}
), fit as materialized (
  select *,
    is_admitted and has_payload and is_domain_verified and not is_over_quota and is_complete and position not in (select position from generated)
      as is_fit,
    case when cardinality(suppressed) = cardinality(string_to_array(recipients, ',')) then 'suppressed' else 'queued' end
      as status
  from evaluated
), reserved_keys as (
  -- "do update" and not "do nothing": it waits for a concurrent request with the same key and then sees its row, although the
  -- snapshot of this statement is older. It changes nothing. The row holds the whole first answer, because the other send is not visible.
  insert into idempotency_keys as i (key_hash, account_id, send_id, fingerprint, status, suppressed_recipients, queued_at)
  select distinct on (idempotency_hash) idempotency_hash, account_id, send_id, fingerprint, status, suppressed, decided_at
  from fit
  where is_fit
    and idempotency_hash is not null
  order by idempotency_hash, position
  on conflict (key_hash) do update
  set send_id = i.send_id
  returning key_hash, send_id, fingerprint, status, suppressed_recipients, queued_at, xmax = 0 as is_inserted -- 0 only for a new row
), answer as materialized (
  -- is_inserted, and not only our own id: a second try after a lost answer has the same id and must not be stored again.
  select *, is_fit and (idempotency_hash is null or send_id in (select send_id from reserved_keys where is_inserted)) as is_new
  from fit
), original as materialized (
  select a.position, c.send_id, c.fingerprint, null::bytea as payload_hash, c.status, c.suppressed_recipients, c.queued_at
  from answer a
  join reserved_keys c on c.key_hash = a.idempotency_hash
  where a.is_fit
    and not a.is_new
  union all
  -- These requests reserve no key, but a repeat among them gets its first answer.
  select a.position, i.send_id, i.fingerprint, null::bytea, i.status, i.suppressed_recipients, i.queued_at
  from answer a
  cross join lateral ${indexLookup(`
    select i.send_id, i.fingerprint, i.status, i.suppressed_recipients, i.queued_at
    from idempotency_keys i
    where i.key_hash = a.idempotency_hash`)} i
  where a.is_admitted
    and a.has_payload
    and (not a.is_domain_verified or a.is_over_quota or not a.is_complete)
    and a.idempotency_hash is not null
  union all
  select position, send_id, null::bytea, payload_hash, status, suppressed_recipients, queued_at
  from generated
), stored as (
  insert into sends (
    id, account_id, mode, status, from_address, to_addresses, recipient_keys, to_count, cc_count, reply_to, subject,
    suppressed_recipients, queued_at, api_key_id, payload_hash, from_domain, idempotency_key, tags, metadata,
    attachment_bytes, expires_at, scheduled_at${hasTraces ? ", trace_context" : ""}
  )
  select a.send_id, a.account_id, a.mode, a.status, r.from_address, string_to_array(r.to_addresses, ','),
    case when lower(r.to_addresses) <> r.recipients then string_to_array(r.recipients, ',') end,
    r.to_count, r.cc_count, r.reply_to, r.subject, a.suppressed, a.decided_at, r.api_key_id,
    case when a.idempotency_hash is null then r.payload_hash end,
    case when written_domain(r.from_address) <> r.from_domain then r.from_domain end,
    -- Notifications say it, and a move of the account finds the key by it. Without both the record does not grow.
    case when a.keeps_key_texts then r.idempotency_key end,
    string_to_array(r.tags, ','), r.metadata, r.attachment_bytes, ${expiry}, r.scheduled_at::timestamptz${hasTraces ? `, ${traceContext}` : ""}
  from answer a
  join request r using (position)
  where a.is_new
), sealed as (
  insert into send_contents (id, sealed)
  select a.send_id, r.sealed
  from answer a
  join request r using (position)
  where a.is_new
    and a.status = 'queued'
    and not ${isScheduled}
), suppression_events as (
  insert into events (
    id, send_id, account_id, mode, event_type, event_at, recipient, suppression_reason, suppressed_at
  )
  select new_id_at(occurred.at), a.send_id, a.account_id, a.mode, 'Suppression', occurred.at, s.email, s.reason, s.suppressed_at
  from answer a
  cross join lateral unnest(a.suppressed) as e (email)
  -- No event is older than the id of its send: a search by send starts there.
  cross join lateral (select greatest(a.decided_at, time_of_id(a.send_id)) as at) as occurred
  cross join lateral ${indexLookup(`
    select s.email, s.reason, s.suppressed_at
    from suppressions s
    where s.account_id = a.account_id
      and s.mode = a.mode
      and s.email = e.email`)} s
  where a.is_new
  returning send_id, event_at
), usage as (
  insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, sends, api_key_id, content_bytes, tags)
  select a.account_id, hour_number(a.decided_at), sum(cardinality(string_to_array(a.recipients, ','))), ${usageKinds.accepted},
    a.mode = 'test', r.from_domain, count(*), r.api_key_id,
    sum(case when a.status = 'queued' then octet_length(r.sealed) + coalesce(r.attachment_bytes, 0) else 0 end),
    string_to_array(r.tags, ',')
  from answer a
  join request r using (position)
  where a.is_new
  group by a.account_id, a.mode, hour_number(a.decided_at), r.from_domain, r.api_key_id, r.tags
  union all
  select a.account_id, hour_number(e.event_at), count(*), ${usageKinds.suppressed}, a.mode = 'test', r.from_domain, null, null, null,
    string_to_array(r.tags, ',')
  from suppression_events e
  join answer a using (send_id)
  join request r using (position)
  where a.is_new
  group by a.account_id, a.mode, hour_number(e.event_at), r.from_domain, r.tags
), queued as (
  insert into send_queue (
    id, account_id, mode, fair_at, from_domain, counted_recipients, expires_at, recipients, attachment_bytes, tags
  )
  select a.send_id, a.account_id, a.mode, a.fair_at, r.from_domain, ${countedRecipients}, ${expiry}, ${remainingRecipients},
    r.attachment_bytes, string_to_array(r.tags, ',')
  from answer a
  join request r using (position)
  where a.is_new
    and a.status = 'queued'
    and not ${isScheduled}
  returning account_id, mode, counted_recipients
), scheduled as (
  insert into scheduled_sends (
    id, account_id, mode, scheduled_at, from_domain, counted_recipients, expires_at, recipients, sealed, attachment_bytes, tags
  )
  select a.send_id, a.account_id, a.mode, r.scheduled_at::timestamptz, r.from_domain, ${countedRecipients}, ${expiry}, ${remainingRecipients},
    r.sealed, r.attachment_bytes, string_to_array(r.tags, ',')
  from answer a
  join request r using (position)
  where a.is_new
    and a.status = 'queued'
    and ${isScheduled}
  returning account_id, mode, counted_recipients
), counted_queue as (
  insert into queued_recipient_changes (account_id, mode, difference)
  select account_id, mode, sum(counted_recipients)
  from (
    select account_id, mode, counted_recipients from queued
    union all
    select account_id, mode, counted_recipients from scheduled
  ) as waiting
  where counted_recipients is not null
  group by account_id, mode
), tails as (
  insert into queue_tails (account_id, mode, send_id)
  select distinct on (a.account_id, a.mode) a.account_id, a.mode, a.send_id
  from answer a
  join request r using (position)
  where a.is_new
    and a.status = 'queued'
    and not ${isScheduled}
    and ${isFarBehind("a.fair_at", "a.decided_at", "a.mode")}
  order by a.account_id, a.mode, position desc
  on conflict (account_id, mode) do update
  set send_id = excluded.send_id
)${hasAttachments ? linkAttached : ""}
select a.position::integer, a.is_admitted as "isAdmitted", a.retry_ms as "retryMs", a.limits,
  array[a.remaining[1] + a.granted_after_it, a.remaining[2] + a.granted_after_it, a.remaining[3] + a.granted_after_it] as remaining,
  a.decided_at as "decidedAt", a.has_payload as "hasPayload", a.is_domain_verified as "isDomainVerified", a.is_complete as "isComplete", a.is_new as "isNew",
  a.hold_reason as "holdReason",
  coalesce(o.send_id, a.send_id) as "sendId",
  coalesce(o.status, a.status) as status,
  coalesce(o.queued_at, a.decided_at) as "queuedAt",
  case when o.position is null then a.suppressed else o.suppressed_recipients end as suppressed,
  o.fingerprint as "originalFingerprint", o.payload_hash as "originalPayloadHash"
from answer a
left join original o on o.position = a.position`;
