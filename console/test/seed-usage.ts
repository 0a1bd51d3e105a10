import type { Database } from "../../service/src/db/database.ts";
import { deliveryTimeBuckets } from "../../service/src/usage/usage-kinds.ts";
import { change } from "../../service/test/send-rows.ts";

export interface HourOfUsage {
  hoursAgo: number;
  domain?: string;
  mode?: "live" | "test";
  accepted?: number;
  delivered?: number;
  bouncedHard?: number;
  bouncedSoft?: number;
  complained?: number;
  suppressed?: number;
  failed?: number;
}

/** Usage as the fold of the deltas stores it. A browser test cannot wait for a month. Deliveries take 0.5 to 8 seconds. */
export async function seedUsage(db: Database, accountId: string, hours: HourOfUsage[]): Promise<void> {
  await change(
    db,
    `insert into usage_hours (account_id, mode, hour, domain, accepted_sends, accepted_recipients, delivered, bounced_hard, bounced_soft,
       complained, suppressed, failed, delivery_times)
     select $1, coalesce(mode, 'live'), date_trunc('hour', now()) - make_interval(hours => "hoursAgo"), coalesce(domain, 'fernhill.example'),
       coalesce(accepted, 0), coalesce(accepted, 0), coalesce(delivered, 0), coalesce("bouncedHard", 0), coalesce("bouncedSoft", 0),
       coalesce(complained, 0), coalesce(suppressed, 0), coalesce(failed, 0), times
     from jsonb_to_recordset($2::jsonb) as u ("hoursAgo" int, domain text, mode text, accepted int, delivered int, "bouncedHard" int,
       "bouncedSoft" int, complained int, suppressed int, failed int, times bigint[])`,
    [accountId, JSON.stringify(hours.map((hour) => ({ ...hour, times: timesOf(hour.delivered ?? 0) })))],
  );
}

/** As much for each of these tags today. */
export async function seedTags(db: Database, accountId: string, tags: Record<string, number>): Promise<void> {
  await change(
    db,
    `insert into usage_tag_days (account_id, mode, day, tag, accepted_sends, accepted_recipients, delivered, delivery_times)
     select $1, 'live', now() at time zone 'UTC', key, value::int, value::int, value::int, array[value::int]
     from jsonb_each_text($2::jsonb)`,
    [accountId, JSON.stringify(tags)],
  );
}

/** Of ten deliveries four take up to 0.5 s, three up to 1 s, two up to 2 s, and one up to 8 s. */
function timesOf(delivered: number): number[] {
  const times = Array<number>(deliveryTimeBuckets).fill(0);
  const [first, second, third] = [0.4, 0.3, 0.2].map((share) => Math.floor(delivered * share));
  times[0] = first ?? 0;
  times[1] = second ?? 0;
  times[2] = third ?? 0;
  times[4] = delivered - times[0] - times[1] - times[2];
  return times;
}

/** 60 days of a shop with two domains: few bounces, until a mailing three days ago reached old addresses. */
export function sixtyDays(): HourOfUsage[] {
  return Array.from({ length: 60 * 24 }, (_, hoursAgo) => {
    const wave = Math.round(11 + 10 * Math.sin((hoursAgo / 24) * 2 * Math.PI) + ((hoursAgo * 7) % 9));
    const isMailing = hoursAgo > 30 && hoursAgo < 76;
    const bouncedHard = isMailing ? ((hoursAgo * 5) % 7) + 1 : Number(hoursAgo % 29 === 3);
    const hour = {
      hoursAgo,
      accepted: wave + bouncedHard,
      delivered: wave,
      bouncedHard,
      bouncedSoft: Number(hoursAgo % 23 === 5),
      complained: Number(hoursAgo % 130 === 40),
      suppressed: isMailing ? hoursAgo % 4 : Number(hoursAgo % 31 === 1),
      failed: Number(hoursAgo % 90 === 60),
    };
    const alerts = { hoursAgo, domain: "alerts.fernhill.example", accepted: wave % 4, delivered: wave % 4 };
    return [hour, alerts];
  }).flat();
}

export async function seedRefusals(
  db: Database,
  { accountId, keyId }: { accountId: string; keyId: string },
  codes: Record<string, number>,
): Promise<void> {
  await change(
    db,
    `insert into usage_refusals (account_id, api_key_id, hour, code, count)
     select $1, $2, date_trunc('hour', now()), key, value::int from jsonb_each_text($3::jsonb)`,
    [accountId, keyId, JSON.stringify(codes)],
  );
}
