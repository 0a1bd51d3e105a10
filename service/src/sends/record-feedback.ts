import { textArray, uuidArray } from "../db/array-param.ts";
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
  /** Ids of events that were new. */
  newEvents: string[];
  newSuppressions: number;
  /** Sends that are not known. */
  unknownSends: string[];
}

/**
 * Serves all accounts. Writes event, status and suppression in one commit, from the set of reports and not from their
 * order: outcomes only rise, an event that is known is not written again, and only a new one suppresses. Sends are locked
 * in the order of their ids, so that reports of the same sends in two processes wait for each other and do not deadlock.
 *
 * A reported address may be written differently, or be one that mail was forwarded to. With one recipient it is that one;
 * otherwise it is recorded as it was told and blames nobody.
 */
export async function recordReports(db: Queryable, reports: RecipientReport[]): Promise<RecordedReports> {
  const [row] = await db.query<RecordedReports>({
    name: "record-reports",
    text: `
      with told as materialized (
        select event_id, send_id, event_type, event_at::timestamptz as event_at, recipient, rank::smallint as rank,
          bounce_type, bounce_subtype, complaint_type, suppress_as
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
          $10::text[]) as told (event_id, send_id, event_type, event_at, recipient, rank, bounce_type, bounce_subtype,
          complaint_type, suppress_as)
      ), concerned as materialized (
        select s.id, s.account_id, s.mode, s.status, s.keys, s.outcomes
        from (select distinct send_id from told order by send_id) as t
        cross join lateral (
          select s.id, s.account_id, s.mode, s.status, coalesce(s.outcomes, '{}') as outcomes,
            coalesce(s.recipient_keys, array(
              select lower(given.address)
              from unnest(s.to_addresses) with ordinality as given (address)
              order by given.ordinality
            )) as keys
          from sends s
          where s.id = t.send_id
          for update
        ) as s
      ), attributed as materialized (
        select t.event_id, t.send_id, t.event_type, t.event_at, t.rank, t.bounce_type, t.bounce_subtype, t.complaint_type,
          t.suppress_as, c.account_id, c.mode, p.place, coalesce(c.keys[p.place], t.recipient) as recipient
        from told t
        join concerned c on c.id = t.send_id
        cross join lateral (
          select coalesce(array_position(c.keys, t.recipient), case when cardinality(c.keys) = 1 then 1 end) as place
        ) as p
      ), recorded as (
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype,
          complaint_type)
        select distinct on (event_id) event_id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type,
          bounce_subtype, complaint_type
        from attributed
        order by event_id
        on conflict (id) do nothing
        returning id
      ), risen as materialized (
        select c.id, array(
          select greatest(coalesce(c.outcomes[each.place], 0), coalesce(max(a.rank), 0))::smallint
          from generate_series(1, cardinality(c.keys)) as each (place)
          left join attributed a on a.send_id = c.id and a.place = each.place
          group by each.place
          order by each.place
        ) as outcomes
        from concerned c
      ), moved as (
        update sends
        set outcomes = risen.outcomes,
          status = case
            when sends.status not in ('sent', 'delivered', 'bounced', 'complained') then sends.status
            when 4 = any (risen.outcomes) then 'complained'
            when 3 = any (risen.outcomes) or 1 = any (risen.outcomes) then 'bounced'
            when 2 = any (risen.outcomes) then 'delivered'
            else sends.status end
        from risen
        where sends.id = risen.id
          and sends.outcomes is distinct from risen.outcomes
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
      select coalesce((select array_agg(id) from recorded), '{}') as "newEvents",
        (select count(*) from suppressed where is_new) as "newSuppressions",
        coalesce((
          select array_agg(distinct t.send_id)
          from told t
          where t.send_id not in (select id from concerned)
        ), '{}') as "unknownSends"`,
    values: [
      uuidArray(reports.map((report) => report.eventId)),
      uuidArray(reports.map((report) => report.sendId)),
      textArray(reports.map((report) => report.type)),
      textArray(reports.map((report) => report.at)),
      textArray(reports.map((report) => report.recipient)),
      textArray(reports.map((report) => String(report.rank))),
      textArray(reports.map((report) => report.bounceType ?? null)),
      textArray(reports.map((report) => report.bounceSubtype ?? null)),
      textArray(reports.map((report) => report.complaintType ?? null)),
      textArray(reports.map((report) => report.suppressAs ?? null)),
    ],
  });
  return row ?? { newEvents: [], newSuppressions: 0, unknownSends: [] };
}
