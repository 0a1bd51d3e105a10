import { indexLookup } from "../db/stable-plan.ts";
import { kindOfEvent } from "./count-deltas.ts";
import { failedRecipients, firstDeliveryTime, sendingDomain, usageKinds } from "./usage-kinds.ts";

/** Contents are kept for 7 days at least and delays for 90. Counters of older days that need them cannot be rebuilt and stay. */
const contentDays = 6;
export const delayDays = 89;

const kinds: [number, string][] = [
  [usageKinds.bouncedHard, "bounced_hard"],
  [usageKinds.bouncedSoft, "bounced_soft"],
  [usageKinds.complained, "complained"],
  [usageKinds.suppressed, "suppressed"],
  [usageKinds.failed, "failed"],
  [usageKinds.delayed, "delayed"],
];

/** SQL: the counters of the row `alias` as rows, one for each kind. */
export const partsOf = (alias: string, { contentBytes }: { contentBytes: string }) => `(
          values (${usageKinds.accepted}, ${alias}.accepted_recipients, ${alias}.accepted_sends, ${contentBytes}),
            (${usageKinds.delivered}, ${alias}.delivered - coalesce((select sum(one) from unnest(${alias}.delivery_times) as one), 0), 0, 0),
            ${kinds.map(([kind, column]) => `(${kind}, ${alias}.${column}, 0, 0)`).join(", ")}
          union all
          select ${firstDeliveryTime - 1} + position, one, 0, 0
          from unnest(${alias}.delivery_times) with ordinality as times (one, position)
        ) as part (kind, amount, sends, bytes)`;

const hasContentDifference = `((select start from day) > now() - interval '${contentDays} days'
            and (sum(content_bytes) > 0 or (sum(content_bytes) < 0 and (hour, domain) not in (select hour, domain from deleted_early))))`;

/**
 * SQL: `difference` has the columns of `usage_deltas`: what sends, events and delays say, minus the counters, folded or not. An event has
 * the time of its id. A send has the time of its id within seconds; an hour on both sides is more than enough. The domain of an event
 * is that of its send: where a send is gone, its outcomes look like an excess, so nothing is subtracted there. Nor are bytes of content where a
 * scheduled send was cancelled, which deletes its content at once.
 */
export const differenceSteps = `day as materialized (
        select $3::timestamptz as start, $3::timestamptz + interval '1 day' as ends
      ), accepted as materialized (
        select s.id, s.status, s.attachment_bytes, s.scheduled_at, hour_number(s.queued_at) as hour, ${sendingDomain("s")} as domain,
          cardinality(s.to_addresses) as recipients, ${failedRecipients("s")} as failing, s.tags
        from sends s
        where s.account_id = $1
          and s.mode = $2
          and s.id >= (select first_id_at(start - interval '1 hour') from day)
          and s.id < (select first_id_at(ends + interval '1 hour') from day)
          and s.queued_at >= (select start from day)
          and s.queued_at < (select ends from day)
      ), happened as materialized (
        select e.hour, e.kind, send.domain, send.tags
        from (
          select send_id, hour_number(event_at) as hour, ${kindOfEvent} as kind
          from events
          where account_id = $1
            and mode = $2
            and id >= (select first_id_at(start) from day)
            and id < (select first_id_at(ends) from day)
          union all
          select send_id, hour_number(delayed_at), ${usageKinds.delayed}
          from delivery_delays
          where account_id = $1
            and mode = $2
            and id >= (select first_id_at(start) from day)
            and id < (select first_id_at(ends) from day)
        ) as e
        left join lateral ${indexLookup(`
          select ${sendingDomain("s")} as domain, s.tags
          from sends s
          where s.id = e.send_id`)} as send on true
      ), without_send as materialized (
        select distinct hour, kind
        from happened
        where domain is null
      ), stored as materialized (
        select accepted.*, content.bytes
        from accepted
        cross join lateral ${indexLookup(`
          select coalesce(
            (select octet_length(c.sealed) from send_contents c where c.id = accepted.id),
            (select octet_length(k.sealed) from kept_contents k where k.id = accepted.id),
            (select octet_length(p.sealed) from scheduled_sends p where p.id = accepted.id)
          ) as bytes`)} as content
      ), deleted_early as materialized (
        select distinct hour, domain
        from stored
        where status = 'failed'
          and scheduled_at is not null
          and bytes is null
      ), counted as materialized (
        select hour, domain, ${usageKinds.accepted} as kind, recipients as amount, 1 as sends,
          coalesce(bytes + coalesce(attachment_bytes, 0), 0) as content_bytes
        from stored
        union all
        select hour, domain, ${usageKinds.failed}, failing, 0, 0
        from accepted
        where status = 'failed'
        union all
        select hour, domain, kind, 1, 0, 0
        from happened
        where domain is not null
        union all
        select hour, domain, kind, -amount, -coalesce(sends, 0), -coalesce(content_bytes, 0)
        from usage_deltas
        where account_id = $1
          and is_test = ($2 = 'test')
          and hour >= (select hour_number(start) from day)
          and hour < (select hour_number(ends) from day)
        union all
        select hour_number(h.hour), h.domain, part.kind, -part.amount, -part.sends, -part.bytes
        from usage_hours h
        cross join lateral ${partsOf("h", { contentBytes: "h.content_bytes" })}
        where h.account_id = $1
          and h.mode = $2
          and h.hour >= (select start from day)
          and h.hour < (select ends from day)
      ), difference as materialized (
        select $1::uuid as account_id, $2 = 'test' as is_test, hour, domain, kind, sum(amount)::bigint as amount,
          sum(sends)::bigint as sends,
          case when ${hasContentDifference} then sum(content_bytes) else 0 end::bigint as content_bytes
        from counted
        where kind <> ${usageKinds.delayed}
          or (select start from day) > now() - interval '${delayDays} days'
        group by hour, domain, kind
        having sum(amount) > 0
          or (sum(amount) < 0 and (hour, kind) not in (select hour, kind from without_send))
          or sum(sends) <> 0
          or ${hasContentDifference}
      ), key_difference as materialized (
        select api_key_id, hour, sum(sends)::bigint as sends, sum(recipients)::bigint as recipients
        from (
          select s.api_key_id, date_trunc('hour', s.queued_at, 'UTC') as hour, 1 as sends, cardinality(s.to_addresses) as recipients
          from accepted
          cross join lateral ${indexLookup(`
            select s.api_key_id, s.queued_at, s.to_addresses
            from sends s
            where s.id = accepted.id and s.api_key_id is not null`)} as s
          union all
          select api_key_id, hour_at(hour), -sends, -amount
          from usage_deltas
          where account_id = $1
            and api_key_id is not null
            and is_test = ($2 = 'test')
            and hour >= (select hour_number(start) from day)
            and hour < (select hour_number(ends) from day)
          union all
          select k.api_key_id, k.hour, -k.sends, -k.recipients
          from usage_key_hours k
          join api_keys on api_keys.id = k.api_key_id and api_keys.type = $2
          where k.account_id = $1
            and k.hour >= (select start from day)
            and k.hour < (select ends from day)
        ) as of_keys
        group by api_key_id, hour
        having sum(sends) <> 0 or sum(recipients) <> 0
      )`;
