import { smallintArray, textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";

/** One thing that happened to one recipient, as the provider told it. */
export interface RecipientReport {
  eventId: string;
  sendId: string;
  type: "Delivery" | "Bounce" | "Complaint";
  at: string;
  /** In lower case. */
  recipient: string;
  /** See `outcomeRanks` in rank-rule.ts. */
  rank: number;
  bounceType: "Permanent" | "Transient" | undefined;
  bounceSubtype: string | undefined;
  complaintType: string | undefined;
  suppressAs: "hard_bounce" | "complaint" | undefined;
}

export interface RecordedReports {
  /** Those that were not known before. */
  newEvents: number;
  newSuppressions: number;
}

/**
 * Serves all accounts. Writes event, status and suppression in one commit, from the set of reports and not from their
 * order: outcomes only rise, an event that is known is not written again, and only a new one suppresses. What rises is
 * compared with the row that is being changed, so that of two processes the second goes on from what the first left.
 * Reports of sends that are not known are left out.
 *
 * A reported address may be written differently, or be one that mail was forwarded to. With one recipient it is that one;
 * otherwise it is recorded as it was told and blames nobody.
 */
export async function recordReports(db: Queryable, reports: RecipientReport[]): Promise<RecordedReports> {
  if (reports.length === 0) return { newEvents: 0, newSuppressions: 0 };
  const [row] = await db.query<RecordedReports>({
    name: "record-reports",
    text: `
      with attributed as materialized (
        select told.event_id, told.send_id, told.event_type, told.event_at::timestamptz as event_at, told.rank,
          told.bounce_type, told.bounce_subtype, told.complaint_type, told.suppress_as, s.account_id, s.mode, s.size,
          case when s.size = 1 then 1 else array_position(s.keys, told.recipient) end as place,
          case when s.size = 1 then s.keys[1] else told.recipient end as recipient
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[], $8::text[],
          $9::text[], $10::text[]) as told (event_id, send_id, event_type, event_at, recipient, rank, bounce_type,
          bounce_subtype, complaint_type, suppress_as)
        cross join lateral (
          select s.account_id, s.mode, cardinality(s.to_addresses) as size,
            coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]) as keys
          from sends s
          where s.id = told.send_id
          offset 0
        ) as s
      ), recorded as (
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype,
          complaint_type)
        select event_id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype,
          complaint_type
        from attributed
        order by event_id
        on conflict (id) do nothing
        returning id
      ), reported as materialized (
        select send_id, size, array_agg(place) as places, array_agg(rank) as ranks, max(rank) as highest
        from attributed
        where place is not null
        group by send_id, size
        order by send_id
      ), moved as (
        update sends
        set (outcomes, status) = (
          select risen.outcomes,
            case
              when sends.status not in ('sent', 'delivered', 'bounced', 'complained') then sends.status
              when 4 = any (risen.outcomes) then 'complained'
              when 3 = any (risen.outcomes) or 1 = any (risen.outcomes) then 'bounced'
              when 2 = any (risen.outcomes) then 'delivered'
              else sends.status end
          from (
            select case when reported.size = 1 then array[reported.highest]
              else array(
                select greatest(0, sends.outcomes[each.place], max(told.rank))::smallint
                from generate_series(1, reported.size) as each (place)
                left join unnest(reported.places, reported.ranks) as told (place, rank) on told.place = each.place
                group by each.place
                order by each.place
              ) end as outcomes
            offset 0
          ) as risen
        )
        from reported
        where sends.id between reported.send_id and reported.send_id
          and case when reported.size = 1 then coalesce(sends.outcomes[1], 0) < reported.highest
            else exists (
              select
              from unnest(reported.places, reported.ranks) as told (place, rank)
              where coalesce(sends.outcomes[told.place], 0) < told.rank
            ) end
      ), suppressed as (
        insert into suppressions as known (id, account_id, mode, email, reason)
        select distinct on (account_id, mode, recipient) new_id_at(now()), account_id, mode, recipient, suppress_as
        from attributed
        where suppress_as is not null
          and place is not null
          and event_id in (select id from recorded)
        order by account_id, mode, recipient, suppress_as
        on conflict (account_id, mode, email) do update
        set reason = 'complaint'
        where known.reason = 'hard_bounce'
          and excluded.reason = 'complaint'
        returning xmax = 0 as is_new
      )
      select (select count(*) from recorded) as "newEvents",
        (select count(*) from suppressed where is_new) as "newSuppressions"`,
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
    ],
    changesSends: true,
  });
  return row ?? { newEvents: 0, newSuppressions: 0 };
}
