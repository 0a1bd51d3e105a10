import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { deliveryTimeBuckets, firstDeliveryTime, usageKinds } from "./usage-kinds.ts";

const sumOf = (condition: string, column = "amount") =>
  `coalesce(sum(${column}) filter (where ${condition}), 0)::bigint`;

const isDelivery = `(kind = ${usageKinds.delivered} or kind >= ${firstDeliveryTime})`;

/** SQL: each counter over rows of `usage_deltas`. */
export const countersOfDeltas: Record<string, string> = {
  accepted_sends: sumOf(`kind = ${usageKinds.accepted}`, "sends"),
  accepted_recipients: sumOf(`kind = ${usageKinds.accepted}`),
  content_bytes: sumOf(`kind = ${usageKinds.accepted}`, "content_bytes"),
  delivered: sumOf(isDelivery),
  bounced_hard: sumOf(`kind = ${usageKinds.bouncedHard}`),
  bounced_soft: sumOf(`kind = ${usageKinds.bouncedSoft}`),
  complained: sumOf(`kind = ${usageKinds.complained}`),
  suppressed: sumOf(`kind = ${usageKinds.suppressed}`),
  failed: sumOf(`kind = ${usageKinds.failed}`),
  delayed: sumOf(`kind = ${usageKinds.delayed}`),
};

/** SQL: the deliveries of each bucket over rows of `usage_deltas`; null when there are none. */
export const deliveryTimesOfDeltas = `case when count(*) filter (where kind >= ${firstDeliveryTime}) > 0 then array[${Array.from(
  { length: deliveryTimeBuckets },
  (_, bucket) => sumOf(`kind = ${firstDeliveryTime + bucket}`),
).join(", ")}] end`;

const counterNames = Object.keys(countersOfDeltas);
const totalNames = counterNames.filter((name) => name !== "content_bytes");

/** Only growth: a correction of `failed` takes nothing from the totals. */
const totalOf = (name: string) =>
  `${name === "failed" ? sumOf(`kind = ${usageKinds.failed} and amount > 0`) : countersOfDeltas[name]}`;

const added = (names: readonly string[]) =>
  names.map((name) => `${name} = known.${name} + excluded.${name}`).join(", ");

/** SQL: an insert that adds `source`, which has the columns of `usage_deltas`, to the counters of its hours. */
export function addToHours(source: string): string {
  return `
        insert into usage_hours as known (account_id, mode, hour, domain, ${counterNames.join(", ")}, delivery_times)
        select account_id, case when is_test then 'test' else 'live' end as mode, hour_at(hour), domain,
          ${Object.values(countersOfDeltas).join(",\n          ")},
          ${deliveryTimesOfDeltas}
        from ${source}
        group by account_id, mode, hour, domain
        order by account_id, mode, hour, domain
        on conflict (account_id, mode, hour, domain) do update
        set ${added(counterNames)},
          delivery_times = case when excluded.delivery_times is null then known.delivery_times
            else add_counts(known.delivery_times, excluded.delivery_times) end`;
}

/**
 * SQL: deletes up to `$1` deltas and adds them to the counters in the same statement, so that every query sees each exactly once. The
 * guard counts live mail of sends that were accepted after its last release, in the epoch that the account has now.
 */
const foldStatement = `
      with taken as (
        delete from usage_deltas
        where ctid = any (array(
          select ctid
          from usage_deltas
          limit $1
          for update skip locked
        ))
        returning account_id, hour, amount, kind, is_test, domain, guard_since, sends, api_key_id, content_bytes
      ), hours as (${addToHours("taken")}
      ), keys as (
        insert into usage_key_hours as known (account_id, api_key_id, hour, sends, recipients)
        select account_id, api_key_id, hour_at(hour), sum(sends), sum(amount)
        from taken
        where api_key_id is not null
        group by account_id, api_key_id, hour
        order by account_id, api_key_id, hour
        on conflict (account_id, api_key_id, hour) do update
        set sends = known.sends + excluded.sends, recipients = known.recipients + excluded.recipients
      ), guarded as (
        insert into guard_counts as known (account_id, epoch, day, outcomes, hard_bounces, complaints)
        select taken.account_id, account.guard_epoch, (hour_at(taken.hour) at time zone 'UTC')::date as day,
          ${sumOf(`${isDelivery} or kind = ${usageKinds.bouncedHard}`)},
          ${countersOfDeltas.bounced_hard},
          ${countersOfDeltas.complained}
        from taken
        cross join lateral ${indexLookup(`
          select a.guard_epoch
          from accounts a
          where a.id = taken.account_id
            and (a.guard_released_at is null or to_timestamp(taken.guard_since) >= a.guard_released_at)`)} as account
        where taken.guard_since is not null
        group by taken.account_id, account.guard_epoch, day
        order by taken.account_id, account.guard_epoch, day
        on conflict (account_id, epoch, day) do update
        set ${added(["outcomes", "hard_bounces", "complaints"])}
      ), totals as (
        insert into usage_totals as known (mode, ${totalNames.join(", ")}, delivery_times)
        select case when is_test then 'test' else 'live' end as mode, ${totalNames.map(totalOf).join(",\n          ")},
          ${deliveryTimesOfDeltas}
        from taken
        group by mode
        order by mode
        on conflict (mode) do update
        set ${added(totalNames)}, delivery_times = add_counts(known.delivery_times, excluded.delivery_times)
      )
      select count(*) as taken
      from taken`;

/** Serves all accounts. Returns how many deltas it folded. Concurrent folds take different deltas. */
export async function foldUsageDeltas(db: Queryable, batchSize: number): Promise<number> {
  const [row] = await db.query<{ taken: number }>({
    name: "fold-usage-deltas",
    text: foldStatement,
    values: [batchSize],
  });
  return row?.taken ?? 0;
}
