import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { amountsOfTags, countedName, namedTagsLock, nameTags } from "./named-tags.ts";
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

/** The counters of `usage_tag_days`. */
export const tagCounterNames = totalNames;

/** Only growth: a correction of `failed` takes nothing from the totals. */
const totalOf = (name: string) =>
  `${name === "failed" ? sumOf(`kind = ${usageKinds.failed} and amount > 0`) : countersOfDeltas[name]}`;

const added = (names: readonly string[]) =>
  names.map((name) => `${name} = known.${name} + excluded.${name}`).join(", ");

const modeOf = "case when is_test then 'test' else 'live' end";

/** SQL: an insert that adds `source`, which has columns of `usage_deltas`, to a table. `keys`: its primary key, and what each is. */
function addCounters(table: string, keys: Record<string, string>, names: readonly string[], source: string): string {
  const key = Object.keys(keys).join(", ");
  const positions = Object.keys(keys).map((_, index) => index + 1);
  return `
        insert into ${table} as known (${key}, ${names.join(", ")}, delivery_times)
        select ${Object.values(keys).join(", ")},
          ${names.map((name) => countersOfDeltas[name]).join(",\n          ")},
          ${deliveryTimesOfDeltas}
        from ${source}
        group by ${positions.join(", ")}
        order by ${positions.join(", ")}
        on conflict (${key}) do update
        set ${added(names)},
          delivery_times = case when excluded.delivery_times is null then known.delivery_times
            else add_counts(known.delivery_times, excluded.delivery_times) end`;
}

/** SQL: an insert that adds `source`, which has the columns of `usage_deltas`, to the counters of its hours. */
export function addToHours(source: string): string {
  const keys = { account_id: "account_id", mode: modeOf, hour: "hour_at(hour)", domain: "domain" };
  return addCounters("usage_hours", keys, counterNames, source);
}

/** SQL: an insert that adds rows of `nameTags` to the counters of their days. */
export function addToTagDays(source: string): string {
  const keys = { account_id: "account_id", mode: modeOf, day: "day", tag: countedName };
  return addCounters("usage_tag_days", keys, tagCounterNames, source);
}

/** Counts the tags of `taken`, and adds new ones to those that are counted by name. */
const tagSteps = `, amounts as materialized (${amountsOfTags("taken")}
      ), named as materialized (${nameTags("amounts")}
      ), new_tags as (
        insert into usage_tags (account_id, mode, month, tag)
        select distinct account_id, ${modeOf} as mode, month, tag
        from named
        where is_named
          and not is_known
        order by account_id, mode, month, tag
        on conflict do nothing
      ), tag_days as (${addToTagDays("named")}
      )`;

/**
 * SQL: deletes up to `$1` deltas and adds them to the counters in the same statement, so that every query sees each exactly once. The
 * guard counts live mail of sends that were accepted after its last release, in the epoch that the account has now.
 */
const foldStatement = (isTagged: boolean) => `
      with taken as (
        delete from usage_deltas
        where ctid = any (array(
          select ctid
          from usage_deltas
          where tags is ${isTagged ? "not null" : "null"}
          limit $1
          for update skip locked
        ))
        returning account_id, hour, amount, kind, is_test, domain, guard_since, sends, api_key_id, content_bytes, tags
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
      )${isTagged ? tagSteps : ""}
      select count(*) as taken
      from taken`;

/** Serves all accounts. Folds deltas of sends without tags and returns how many. Concurrent folds take different deltas. */
export async function foldUsageDeltas(db: Queryable, batchSize: number): Promise<number> {
  const [row] = await db.query<{ taken: number }>({
    name: "fold-usage-deltas",
    text: foldStatement(false),
    values: [batchSize],
  });
  return row?.taken ?? 0;
}

/** The same for sends with tags: each delta has up to ten, so a batch should be smaller. Apart, so that they delay no other delta. */
export async function foldTaggedDeltas(db: Queryable, batchSize: number): Promise<number> {
  const [row] = await db.query<{ taken: number }>({
    name: "fold-tagged-deltas",
    text: foldStatement(true),
    values: [batchSize],
    oneAtATime: namedTagsLock,
  });
  return row?.taken ?? 0;
}

/** SQL for `dueWhen` of the chore. Costs less than to look for the rows. */
export const usageDeltas = "select from usage_deltas limit 1";
