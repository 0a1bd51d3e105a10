/**
 * One round trip for up to 200 requests of any accounts: who may send, who is within the limit, what was accepted before
 * under the same key, whose domain is verified, who is suppressed; and what remains is stored and queued, in one commit.
 *
 * Read it from the top; each step takes what the one before left over. What looks odd is there for a measured reason:
 * `lateral (… offset 0)` and `coalesce((select true …), false)` keep every lookup an index lookup whatever the statistics
 * say, and `materialized` keeps a step from being computed twice.
 */
export const acceptStatement = `
with request as materialized (
  select *
  from unnest(
    $1::uuid[], $2::text[], $3::bytea[], $4::boolean[], $5::uuid[], $6::uuid[], $7::bytea[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::smallint[], $13::smallint[], $14::text[], $15::text[], $16::bytea[]
  ) with ordinality as r (
    account_id, mode, key_hmac, is_valid, send_id, key_hash, fingerprint, from_domain, from_address,
    recipients, to_addresses, to_count, cc_count, reply_to, subject, sealed, position
  )
), allowed as materialized (
  -- The account and the mode of a key never change, so the caller knows them; whether the key still counts is asked here.
  select r.position, r.account_id, r.mode, account.limits,
    sum(case when r.is_valid then cardinality(string_to_array(r.recipients, ',')) else 0 end)
      over (partition by r.account_id, r.mode order by r.position)::bigint as burden,
    row_number() over (partition by r.account_id, r.mode order by r.position) as place
  from request r
  cross join lateral (
    select array[a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute] as limits
    from accounts a
    where a.id = r.account_id
      and a.suspended_at is null
      and (r.key_hmac is null or coalesce((
        select true
        from api_keys k
        where k.secret_hmac = r.key_hmac
          and k.account_id = r.account_id
          and k.type = r.mode
          and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())
      ), false))
    offset 0
  ) account
), counted as (
  -- One row per account and mode, taken in key order. All requests of one account share one instant, so that admitting
  -- the first few of them is exact. The clock is read after the row is locked. $17 and $18 are the
  -- heads of the two queues: whoever has nothing waiting lines up there, and not behind the backlog of others.
  insert into rate_windows as w (
    account_id, mode, times, totals, fair_at, wanted, burdens, limits,
    decided_at, granted, fair_before, retry_ms, remaining
  )
  select account_id, mode, array[t], array[g::bigint],
    fair_before + burdens[g] * interval '60 s' / limits[3], n, burdens, limits, t, g, fair_before,
    case when g = n then 0 when limits[3] <= g then 60000 when limits[2] <= g then 10000 else 1000 end,
    array[limits[1] - g, limits[2] - g, limits[3] - g]
  from (
    select account_id, mode, n, burdens, limits, clock_timestamp() as t,
      least(clock_timestamp(), case mode when 'live' then $17::timestamptz else $18::timestamptz end) as fair_before,
      least(n, limits[1], limits[2], limits[3]) as g
    from (
      select account_id, mode, count(*)::integer as n, array_agg(burden order by position) as burdens, limits
      from allowed
      group by account_id, mode, limits
    ) wanted
  ) first_ones
  order by account_id, mode
  on conflict (account_id, mode) do update
  set (times, totals, forgotten, fair_at, wanted, burdens, limits, decided_at, granted, fair_before, retry_ms, remaining) = (
    select coalesce(fewer.times, kept.times), coalesce(fewer.totals, kept.totals), kept.base_60,
      kept.fair_before + coalesce(excluded.burdens[kept.g], 0) * interval '60 s' / kept.l[3],
      kept.n, excluded.burdens, kept.l, kept.t, kept.g, kept.fair_before,
      -- The wait is over when the oldest entry that fills a window has left it, in every window that is full.
      case when kept.g = kept.n then 0 else greatest(1, ceil(1000 * extract(epoch from greatest(
        case when kept.r_1 <= kept.g
          then kept.times[width_bucket(kept.total + kept.g - kept.l[1], kept.totals) + 1] + interval '1 s' - kept.t end,
        case when kept.r_10 <= kept.g
          then kept.times[width_bucket(kept.total + kept.g - kept.l[2], kept.totals) + 1] + interval '10 s' - kept.t end,
        case when kept.r_60 <= kept.g
          then kept.times[width_bucket(kept.total + kept.g - kept.l[3], kept.totals) + 1] + interval '60 s' - kept.t end
      ))))::integer end,
      array[kept.r_1 - kept.g, kept.r_10 - kept.g, kept.r_60 - kept.g]
    from (
      select *,
        case when g > 0 then a[b_60 + 1:] || t else a[b_60 + 1:] end as times,
        case when g > 0 then s[b_60 + 1:] || (total + g) else s[b_60 + 1:] end as totals
      from (
        select *, greatest(0, least(n, r_1, r_10, r_60))::integer as g
        from (
          select *,
            (l[1] - (total - case when b_1 = 0 then f else s[b_1] end))::integer as r_1,
            (l[2] - (total - case when b_10 = 0 then f else s[b_10] end))::integer as r_10,
            (l[3] - (total - base_60))::integer as r_60
          from (
            select *, case when b_60 = 0 then f else s[b_60] end as base_60
            from (
              select *, coalesce(s[cardinality(s)], f) as total,
                width_bucket(t - interval '1 s', a) as b_1,
                width_bucket(t - interval '10 s', a) as b_10,
                width_bucket(t - interval '60 s', a) as b_60
              from (
                select w.forgotten as f, excluded.wanted as n, excluded.limits as l,
                  -- Ahead of the others by two minutes at most: what was long sent is no debt for ever.
                  case when clock.is_sane then greatest(clock.head, least(w.fair_at, clock.head + interval '2 minutes'))
                    else clock.head end as fair_before,
                  case when clock.is_sane then w.times else '{}' end as a,
                  case when clock.is_sane then w.totals else '{}' end as s,
                  case when clock.is_sane then greatest(clock.t, w.times[cardinality(w.times)]) else clock.t end as t
                from (
                  -- A server whose clock was set back would otherwise refuse until it has caught up.
                  select c.t, coalesce(w.times[cardinality(w.times)] < c.t + interval '10 s', true) as is_sane,
                    least(c.t, case w.mode when 'live' then $17::timestamptz else $18::timestamptz end) as head
                  from (select clock_timestamp() as t offset 0) c
                  offset 0
                ) clock
                offset 0
              ) x0 offset 0
            ) x1 offset 0
          ) x2 offset 0
        ) x3 offset 0
      ) x4 offset 0
    ) kept
    left join lateral (
      -- Limits above 200 are counted in hundredths of their window, each entry as late as the latest in it: never too
      -- many, at most a hundredth of a window too strict. Without this a raised limit would carry thousands of entries.
      select array_agg(time order by total) as times, array_agg(total order by total) as totals
      from (
        select distinct on (part, slot) time, total
        from (
          select time, total, part,
            case when kept.l[part] <= 200 then total
              else floor(extract(epoch from time) * (array[100, 10, 1.6666666667])[part])::bigint end as slot
          from (
            select time, total,
              case when time > kept.t - interval '1 s' then 1 when time > kept.t - interval '10 s' then 2 else 3 end as part
            from unnest(kept.times, kept.totals) as entry (time, total)
            -- Here and not where it is joined: there it would be worked out for everyone and thrown away.
            where cardinality(kept.times) > 512
          ) aged
        ) slotted
        order by part, slot, total desc
      ) latest
    ) fewer on true
  )
  returning account_id, mode, granted, fair_before, retry_ms, remaining, decided_at
), judged as materialized (
  select r.position, r.account_id, r.mode, r.is_valid, r.send_id, r.key_hash, r.fingerprint, r.recipients,
    a.place <= c.granted as is_admitted,
    c.decided_at, c.retry_ms, c.remaining, a.limits, greatest(0, c.granted - a.place)::integer as after_it,
    c.fair_before + a.burden * interval '60 s' / a.limits[3] as fair_at,
    -- In test mode there is a domain that anyone may send from.
    r.mode = 'test' and r.from_domain = 'sandbox.test' or coalesce((
      select true
      from domains d
      where d.account_id = r.account_id
        and d.domain_name = r.from_domain
        and d.verification_status = 'Success'
    ), false) as is_domain_verified,
    (
      select array_agg(s.email order by e.ordinality)
      from unnest(string_to_array(r.recipients, ',')) with ordinality as e (email)
      cross join lateral (
        select s.email
        from suppressions s
        where s.account_id = r.account_id
          and s.mode = r.mode
          and s.email = e.email
        offset 0
      ) s
    ) as suppressed
  from allowed a
  join request r using (position)
  join counted c on c.account_id = a.account_id and c.mode = a.mode
), fit as materialized (
  select *,
    is_admitted and is_valid and is_domain_verified as is_fit,
    case when cardinality(suppressed) = cardinality(string_to_array(recipients, ',')) then 'suppressed' else 'queued' end
      as status
  from judged
), claimed as (
  -- "do update" and not "do nothing": it waits for a twin that is being stored and then sees it, although the snapshot of
  -- this statement is older. The row holds the whole first answer, because the twin's send is not seen.
  insert into idempotency_keys as i (key_hash, account_id, send_id, fingerprint, status, suppressed_recipients, queued_at)
  select distinct on (key_hash) key_hash, account_id, send_id, fingerprint, status, suppressed, decided_at
  from fit
  where is_fit
    and key_hash is not null
  order by key_hash, position
  on conflict (key_hash) do update
  set send_id = i.send_id
  returning key_hash, send_id, fingerprint, status, suppressed_recipients, queued_at, xmax = 0 as is_inserted
), answer as materialized (
  -- Inserted and not only ours: a try whose answer was lost is made again with the same id and must not be stored again.
  select *, is_fit and (key_hash is null or send_id in (select send_id from claimed where is_inserted)) as is_new
  from fit
), original as materialized (
  select a.position, c.send_id, c.fingerprint, c.status, c.suppressed_recipients, c.queued_at
  from answer a
  join claimed c on c.key_hash = a.key_hash
  where a.is_fit
    and not a.is_new
  union all
  -- A repeat gets its first answer even when the domain is no longer verified.
  select a.position, i.send_id, i.fingerprint, i.status, i.suppressed_recipients, i.queued_at
  from answer a
  cross join lateral (
    select i.send_id, i.fingerprint, i.status, i.suppressed_recipients, i.queued_at
    from idempotency_keys i
    where i.key_hash = a.key_hash
    offset 0
  ) i
  where a.is_admitted
    and a.is_valid
    and not a.is_domain_verified
    and a.key_hash is not null
), stored as (
  insert into sends (
    id, account_id, mode, status, from_address, to_addresses, recipient_keys, to_count, cc_count, reply_to, subject,
    suppressed_recipients, queued_at
  )
  select a.send_id, a.account_id, a.mode, a.status, r.from_address, string_to_array(r.to_addresses, ','),
    case when lower(r.to_addresses) <> r.recipients then string_to_array(r.recipients, ',') end,
    r.to_count, r.cc_count, r.reply_to, r.subject, a.suppressed, a.decided_at
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
), filtered as (
  insert into events (
    id, send_id, account_id, mode, event_type, event_at, recipient, suppression_reason, suppressed_at
  )
  select suppression_event_id(a.send_id, s.email), a.send_id, a.account_id, a.mode, 'Suppression', a.decided_at, s.email,
    s.reason, s.suppressed_at
  from answer a
  cross join lateral unnest(a.suppressed) as e (email)
  cross join lateral (
    select s.email, s.reason, s.suppressed_at
    from suppressions s
    where s.account_id = a.account_id
      and s.mode = a.mode
      and s.email = e.email
    offset 0
  ) s
  where a.is_new
), queued as (
  insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
  select a.send_id, a.account_id, a.mode, a.fair_at, r.from_domain,
    case when a.suppressed is null then string_to_array(a.recipients, ',')
      else array(
        select e.email
        from unnest(string_to_array(a.recipients, ',')) with ordinality as e (email)
        where e.email <> all (a.suppressed)
        order by e.ordinality
      ) end
  from answer a
  join request r using (position)
  where a.is_new
    and a.status = 'queued'
)
select a.position::integer, a.is_admitted as "isAdmitted", a.retry_ms as "retryMs", a.limits,
  array[a.remaining[1] + a.after_it, a.remaining[2] + a.after_it, a.remaining[3] + a.after_it] as remaining,
  a.decided_at as "decidedAt", a.is_valid as "isValid", a.is_domain_verified as "isDomainVerified", a.is_new as "isNew",
  coalesce(o.send_id, a.send_id) as "sendId",
  coalesce(o.status, a.status) as status,
  coalesce(o.queued_at, a.decided_at) as "queuedAt",
  case when o.position is null then a.suppressed else o.suppressed_recipients end as suppressed,
  o.fingerprint as "originalFingerprint"
from answer a
left join original o on o.position = a.position`;
