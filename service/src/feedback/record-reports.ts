import { integerArray, smallintArray, textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { requireAccountsHere } from "../db/require-accounts-here.ts";
import { computedOnce, equalByIndex, indexLookup } from "../db/stable-plan.ts";
import { erasedAddress } from "../erased-address.ts";
import { isStronger } from "../suppression-reason.ts";
import { isGuardedEvent, kindOfEvent } from "../usage/count-deltas.ts";
import { sendingDomain } from "../usage/usage-kinds.ts";

/**
 * Which report about one recipient wins. The rank only rises, so the result does not depend on the order in which reports
 * arrive. The statement below derives the status of a send from all its recipients.
 */
export const outcomeRanks = { none: 0, transientBounce: 1, delivered: 2, permanentBounce: 3, complained: 4 } as const;

export type OutcomeRank = (typeof outcomeRanks)[keyof typeof outcomeRanks];

/** One thing that happened to one recipient, as the provider reported it. */
export interface RecipientReport {
  eventId: string;
  sendId: string;
  type: "Delivery" | "Bounce" | "Complaint";
  /** In milliseconds, and the time in `eventId`. */
  at: string;
  /** In lower case. */
  recipient: string;
  rank: OutcomeRank;
  bounceType: "Permanent" | "Transient" | undefined;
  bounceSubtype: string | undefined;
  complaintType: string | undefined;
  replyStatus?: string | undefined;
  reply?: string | undefined;
  reportingMta?: string | undefined;
  durationMs?: number | undefined;
  suppressAs: "hard_bounce" | "complaint" | undefined;
}

export interface RecordedReports {
  /** Events that were not stored before. */
  newEvents: number;
  newSuppressions: number;
}

/**
 * Stores event, status and suppression in one commit. Serves all accounts. The result depends on the set of reports and not on their
 * order:
 *
 * 1. `attributed`: finds the send and the recipient. Reports about unknown sends are left out. If the send has one recipient, the
 *    report is about it, however the address is spelt (mail may have been forwarded). If it has several, the address must be one of
 *    them; a report about another address is stored as an event and changes neither outcomes nor suppressions. An event from before
 *    its send gets the time of the send, in its id as well. If the operator erased an address of the send, an address that is none of its
 *    recipients is the erased one: the report is stored without it, and without the words of the server, which may repeat it.
 * 2. `new_events`: stores the events. An event that is already there is not stored again.
 * 3. `usage`: counts each new event in the hour in which it happened. If the guard counts it too, with the acceptance of its send.
 * 4. `per_send`, `moved`: raises the outcome of each recipient to the higher of the stored and the reported rank, and derives the
 *    status. The branches for one recipient only save time. If another process changes the row at
 *    the same time, the statement fails and runs again (`changesSends`).
 * 5. `suppressed`: only a new event with a known recipient suppresses an address. A repeated event must not restore a suppression
 *    that the account has removed, and an erased address has no entry to add. An entry that exists gets a stronger reason, never a weaker one.
 *    `reported_reason` is the strongest reason that the provider reported; `reason` can be an import's, and stronger.
 */
export async function recordReports(db: Queryable, reports: RecipientReport[]): Promise<RecordedReports> {
  if (reports.length === 0) return { newEvents: 0, newSuppressions: 0 };
  const [row] = await db.query<RecordedReports>({
    name: "record-reports",
    text: `
      with attributed as materialized (
        select case when report.event_at::timestamptz < s.accepted_at then id_with_time(report.event_id, s.accepted_at)
            else report.event_id end as event_id,
          greatest(report.event_at::timestamptz, s.accepted_at) as event_at, report.send_id, report.event_type, report.rank,
          report.bounce_type, report.bounce_subtype, report.complaint_type, report.suppress_as, report.reply_status,
          case when not s.is_erased then report.reply end as reply, report.reporting_mta, report.duration_ms, s.account_id, s.mode, s.size,
          s.accepted_at, s.domain, s.tags,
          case when s.size = 1 then 1
            else coalesce(
              array_position(s.keys, report.recipient),
              case when s.is_erased then array_position(s.keys, '${erasedAddress}') end
            ) end as position,
          case when s.size = 1 then s.keys[1]
            when s.is_erased and report.recipient <> all (s.keys) then '${erasedAddress}'
            else report.recipient end as recipient
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::text[],
          $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::integer[]) as report (event_id, send_id, event_type,
          event_at, recipient, rank, bounce_type, bounce_subtype, complaint_type, suppress_as, reply_status, reply, reporting_mta,
          duration_ms)
        cross join lateral ${indexLookup(`
          select s.account_id, s.mode, cardinality(s.to_addresses) as size,
            coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]) as keys,
            date_trunc('milliseconds', s.queued_at) as accepted_at, ${sendingDomain("s")} as domain, s.tags,
            s.erased_at is not null as is_erased
          from sends s
          where s.id = report.send_id`)} as s
      ), new_events as (
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype,
          complaint_type, reply_status, reply, reporting_mta, duration_ms)
        select event_id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype,
          complaint_type, reply_status, reply, reporting_mta, duration_ms
        from attributed
        order by event_id
        on conflict (id) do nothing
        returning id
      ), usage as (
        insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, guard_since, tags)
        select account_id, hour, count(*), kind, is_test, domain, min(guard_since), tags
        from (
          select distinct on (event_id) account_id, hour_number(event_at) as hour, ${kindOfEvent} as kind, mode = 'test' as is_test,
            domain, tags, case when ${isGuardedEvent} then floor(extract(epoch from accepted_at))::integer end as guard_since,
            -- Apart, because the guard leaves out a delta with any mail from before its release.
            ${isGuardedEvent} and event_at > accepted_at + interval '15 minutes' as is_late
          from attributed
          where event_id in (select id from new_events)
          order by event_id
        ) as counted
        group by account_id, hour, kind, is_test, domain, guard_since is null, is_late, tags
      ), per_send as materialized (
        select send_id, size, array_agg(position) as positions, array_agg(rank) as ranks, max(rank) as highest
        from attributed
        where position is not null
        group by send_id, size
        order by send_id
      ), moved as (
        update sends
        set (outcomes, status) = (
          select risen.outcomes,
            case
              when sends.status not in ('sent', 'delivered', 'bounced', 'complained') then sends.status
              when ${outcomeRanks.complained} = any (risen.outcomes) then 'complained'
              when ${outcomeRanks.permanentBounce} = any (risen.outcomes) or ${outcomeRanks.transientBounce} = any (risen.outcomes) then 'bounced'
              when ${outcomeRanks.delivered} = any (risen.outcomes) then 'delivered'
              else sends.status end
          from ${computedOnce(`
            select case when per_send.size = 1 then array[per_send.highest]
              else array(
                select greatest(0, sends.outcomes[each.position], max(report.rank))::smallint
                from generate_series(1, per_send.size) as each (position)
                left join unnest(per_send.positions, per_send.ranks) as report (position, rank) on report.position = each.position
                group by each.position
                order by each.position
              ) end as outcomes`)} as risen
        )
        from per_send
        where ${equalByIndex("sends.id", "per_send.send_id")}
          and case when per_send.size = 1 then coalesce(sends.outcomes[1], 0) < per_send.highest
            else exists (
              select
              from unnest(per_send.positions, per_send.ranks) as report (position, rank)
              where coalesce(sends.outcomes[report.position], 0) < report.rank
            ) end
      ), suppressed as (
        insert into suppressions as known (id, account_id, mode, email, reason, send_id, reported_reason, reported_at)
        select distinct on (account_id, mode, recipient) new_id_at(now()), account_id, mode, recipient, suppress_as, send_id, suppress_as, now()
        from attributed
        where suppress_as is not null
          and position is not null
          and recipient <> '${erasedAddress}'
          and event_id in (select id from new_events)
        order by account_id, mode, recipient, suppress_as = 'complaint' desc -- one row per address, complaint first
        on conflict (account_id, mode, email) do update
        set (reason, send_id) = (
            select excluded.reason, excluded.send_id where ${isStronger("excluded.reason", "known.reason")}
            union all
            select known.reason, known.send_id where not (${isStronger("excluded.reason", "known.reason")})
          ),
          reported_reason = excluded.reported_reason, reported_at = excluded.reported_at
        -- A stronger reason is reported for the first time as well.
        where known.reported_reason is null
          or ${isStronger("excluded.reported_reason", "known.reported_reason")}
        returning xmax = 0 as is_new -- 0 only for a new row
      )
      select (select count(*) from new_events) as "newEvents",
        (select count(*) from suppressed where is_new) as "newSuppressions"
      where ${requireAccountsHere("attributed")}`,
    values: [
      uuidArray(reports.map((report) => report.eventId)),
      uuidArray(reports.map((report) => report.sendId)),
      textArray(reports.map((report) => report.type)),
      textArray(reports.map((report) => report.at)),
      textArray(reports.map((report) => report.recipient)),
      smallintArray(reports.map((report) => report.rank)),
      textArray(reports.map((report) => report.bounceType ?? null)),
      textArray(reports.map((report) => report.bounceSubtype ?? null)),
      textArray(reports.map((report) => report.complaintType ?? null)),
      textArray(reports.map((report) => report.suppressAs ?? null)),
      textArray(reports.map((report) => report.replyStatus ?? null)),
      textArray(reports.map((report) => report.reply ?? null)),
      textArray(reports.map((report) => report.reportingMta ?? null)),
      integerArray(reports.map((report) => report.durationMs ?? null)),
    ],
    changesSends: true,
  });
  return row ?? { newEvents: 0, newSuppressions: 0 };
}
