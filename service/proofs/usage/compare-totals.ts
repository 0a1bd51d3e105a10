import type { Database } from "../../src/db/database.ts";
import { maxNamedTags } from "../../src/usage/named-tags.ts";

interface Totals {
  sends: number;
  recipients: number;
  delivered: number;
  hard: number;
  soft: number;
  complained: number;
  suppressed: number;
  failed: number;
  delayed: number;
  timed: number;
  keySends: number;
  guarded: number;
  tagSends: number;
  tagRecipients: number;
  tagFailed: number;
  tagEvents: number;
  tagDelayed: number;
  /** Accounts, modes and months that have as many named tags as they may. */
  fullMonths: number;
}

/** How many tags of a month can be named. The proof adds the others before, so that a small size needs more. */
export const freeNames = 100;

/** Sums over all accounts, counted without anything that the rebuild uses. */
export async function compareTotals(db: Database): Promise<{ isSame: boolean; text: string }> {
  const [counted] = await db.query<Totals>({
    name: "totals-of-the-record",
    text: `
      select s.*, e.*, t.*, (select count(*) from delivery_delays) as delayed
      from (
        select count(*) as sends, sum(cardinality(to_addresses))::bigint as recipients,
          coalesce(sum(cardinality(to_addresses) - coalesce(cardinality(suppressed_recipients), 0)) filter (where status = 'failed'), 0)::bigint as failed,
          count(api_key_id) as "keySends"
        from sends
      ) as s, (
        select count(*) filter (where event_type = 'Delivery') as delivered,
          count(*) filter (where event_type = 'Bounce' and bounce_type = 'Permanent') as hard,
          count(*) filter (where event_type = 'Bounce' and bounce_type = 'Transient') as soft,
          count(*) filter (where event_type = 'Complaint') as complained,
          count(*) filter (where event_type = 'Suppression') as suppressed,
          count(duration_ms) as timed,
          count(*) filter (where mode = 'live' and (event_type in ('Delivery', 'Complaint') or bounce_type = 'Permanent')) as guarded
        from events
      ) as e, (
        select sum(cardinality(tags))::bigint as "tagSends", sum(cardinality(tags) * cardinality(to_addresses))::bigint as "tagRecipients",
          coalesce(sum(cardinality(tags) * (cardinality(to_addresses) - coalesce(cardinality(suppressed_recipients), 0)))
            filter (where status = 'failed'), 0)::bigint as "tagFailed",
          (select sum(cardinality(s.tags))::bigint from events e join sends s on s.id = e.send_id) as "tagEvents",
          (select coalesce(sum(cardinality(s.tags)), 0)::bigint from delivery_delays d join sends s on s.id = d.send_id) as "tagDelayed",
          (
            select count(*)
            from (
              select
              from sends s, unnest(s.tags) as tag
              group by s.account_id, s.mode, date_trunc('month', s.queued_at)
              having count(distinct tag) >= ${freeNames}
            ) as months
          ) as "fullMonths"
        from sends
      ) as t`,
  });
  const [usage] = await db.query<Totals>({
    name: "totals-of-usage",
    text: `
      select sum(accepted_sends)::bigint as sends, sum(accepted_recipients)::bigint as recipients, sum(delivered)::bigint as delivered,
        sum(bounced_hard)::bigint as hard, sum(bounced_soft)::bigint as soft, sum(complained)::bigint as complained,
        sum(suppressed)::bigint as suppressed, sum(failed)::bigint as failed, sum(delayed)::bigint as delayed,
        (select coalesce(sum(one), 0)::bigint from usage_hours h, unnest(h.delivery_times) as one) as timed,
        (select coalesce(sum(sends), 0)::bigint from usage_key_hours) as "keySends",
        (select coalesce(sum(outcomes + complaints), 0)::bigint from guard_counts) as guarded,
        t.*
      from usage_hours, (
        select sum(accepted_sends)::bigint as "tagSends", sum(accepted_recipients)::bigint as "tagRecipients", sum(failed)::bigint as "tagFailed",
          sum(delivered + bounced_hard + bounced_soft + complained + suppressed)::bigint as "tagEvents", sum(delayed)::bigint as "tagDelayed",
          (
            select count(*)
            from (select from usage_tags group by account_id, mode, month having count(*) = ${maxNamedTags}) as months
          ) as "fullMonths"
        from usage_tag_days
      ) as t
      group by t."tagSends", t."tagRecipients", t."tagFailed", t."tagEvents", t."tagDelayed", t."fullMonths"`,
  });
  const names = Object.keys(usage ?? {}) as (keyof Totals)[];
  const different = names.filter((name) => usage?.[name] !== counted?.[name]);
  return {
    isSame: usage !== undefined && usage.fullMonths > 0 && different.length === 0,
    text:
      `${counted?.sends} sends, ${counted?.delivered} deliveries, ${counted?.hard} hard and ${counted?.soft} soft bounces, ` +
      `${counted?.complained} complaints, ${counted?.suppressed} suppressed, ${counted?.failed} failed, ${counted?.delayed} delayed; ` +
      `${counted?.tagSends} tags of sends and ${counted?.tagEvents} of events, more than can be named in ${counted?.fullMonths} accounts and modes; ` +
      (different.length === 0
        ? "all sums equal"
        : different.map((name) => `${name} ${usage?.[name]}, not ${counted?.[name]}`).join(", ")),
  };
}

/** Cases that are rare by chance, and without which the comparison would show little. */
export async function countRareCases(db: Database): Promise<{ areAllMet: boolean; text: string }> {
  const [cases] = await db.query<{ again: number; test: number; unicode: number }>({
    name: "rare-cases",
    text: `
      select count(*) filter (where mode = 'test') as test, count(from_domain) as unicode,
        (select count(*) from send_attempts where attempt > 1 and outcome <> 'accepted') as again
      from sends`,
  });
  const { again = 0, test = 0, unicode = 0 } = cases ?? {};
  return {
    areAllMet: Math.min(again, test, unicode) > 0,
    text: `${test} sends in test mode, ${unicode} with a sender in Unicode, ${again} further attempts without success`,
  };
}
