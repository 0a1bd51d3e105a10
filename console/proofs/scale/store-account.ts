import type { ProofTools } from "../../../scripts/proof.ts";
import { type Database, openDatabase } from "../../../service/src/db/database.ts";
import { deliveryTimeBuckets } from "../../../service/src/usage/usage-kinds.ts";
import { days, type NumberedAccount, numberedEvents, numberedSends, valuesOf } from "./numbered-account.ts";

const batchSize = 50_000;

/** Stores everything with the indexes and constraints in force, oldest first as it grew. Returns the seconds it took. */
export async function storeAccount(
  databaseUrl: string,
  account: NumberedAccount,
  progress: ProofTools["progress"],
): Promise<number> {
  const startedAt = performance.now();
  const options = { poolSize: 2, applicationName: "proof", onIdleError: () => undefined };
  const db = openDatabase({ ...options, url: databaseUrl, statementTimeoutMs: 1_800_000 });
  try {
    await coverDays(db);
    // The entries are written below, with the buckets that they have after 90 days of use.
    await change(db, "alter table sends disable trigger sends_indexed");
    await change(db, `update search_progress set merging_bucket = fine_bucket(${firstFineId}) >> 10, merging_hash = 0`);
    // Two connections for two cores. The order of the batches of each table is the order of time.
    await Promise.all([
      inBatches(account, "sends", progress, async (values) => {
        await db.query({ name: "store-sends", text: storeSends, values });
        await db.query({ name: "store-searches", text: storeSearches, values });
      }),
      inBatches(account, "events", progress, async (values) => {
        await db.query({ name: "store-events", text: storeEvents, values });
        await db.query({ name: "store-suppressions", text: storeSuppressions, values });
        await db.query({ name: "store-usage", text: storeUsage, values });
        await db.query({ name: "store-key-usage", text: storeKeyUsage, values });
      }),
    ]);
    await change(db, "alter table sends enable trigger sends_indexed");
    await db.query({ name: "store-guard-counts", text: storeGuardCounts, values: [account.accountId] });
    // As autovacuum does while the tables grow.
    for (const table of ["sends", "events", "send_searches", "suppressions", "usage_hours", "usage_key_hours"]) {
      progress(`vacuum of ${table}`);
      await change(db, `vacuum (analyze) ${table}`);
    }
  } finally {
    await db.close();
  }
  return (performance.now() - startedAt) / 1_000;
}

async function inBatches(
  account: NumberedAccount,
  what: string,
  progress: ProofTools["progress"],
  store: (values: unknown[]) => Promise<void>,
): Promise<void> {
  for (let to = account.count; to > 0; to -= batchSize) {
    await store(valuesOf(account, Math.max(0, to - batchSize), to));
    progress(`${what} of ${account.count - Math.max(0, to - batchSize)} of ${account.count} sends stored`);
  }
}

/** A new database has partitions from the last month on; older ones are made as make_next_partition makes them. */
async function coverDays(db: Database): Promise<void> {
  const start = new Date(Date.now() - days * 86_400_000);
  for (const table of ["sends", "events"]) {
    const [oldest] = await db.query<{ at: string }>({
      name: "oldest-partition",
      text: `select min(starts_at) as at from partition_ranges where parent = $1`,
      values: [table],
    });
    const ends = new Date(oldest?.at ?? "");
    while (ends > start) {
      const from = new Date(Date.UTC(ends.getUTCFullYear(), ends.getUTCMonth() - 1));
      const name = `${table}_${from.toISOString().slice(0, 7).replace("-", "_")}`;
      await change(db, `create table ${name} (like ${table} including all)`);
      if (table === "sends") await change(db, `alter table ${name} set (fillfactor = 50)`);
      const bounds = [from, ends].map((at) => `'${firstId(at)}'`);
      await change(
        db,
        `alter table ${table} attach partition ${name} for values from (${bounds[0]}) to (${bounds[1]})`,
      );
      ends.setTime(from.getTime());
    }
  }
}

/** As the function first_id_at of the database. */
function firstId(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

const storeSends = `
  insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at, sent_at,
    provider_message_id, outcomes, api_key_id)
  select id, account_id, mode, status, 'Fernhill Books <orders@' || domain || '>', addresses, recipients, 0, 'Your order ' || number,
    at, at, provider_message_id,
    (array[case when hard_bounces > 0 then 3 when complaints > 0 then 4 else 2 end, case when soft_bounces > 0 then 1 else 2 end, 2, 2])[1:recipients::integer],
    key_id
  from (${numberedSends}) as send`;

/** So many days may not be merged yet, and a search reads a bucket of 17 minutes after the other. */
const firstFineId = "first_id_at(now() - interval '13 days')";

const storeSearches = `
  insert into send_searches (key, send_id)
  select distinct search_key(id, search_hash(account_id, address), (select ${firstFineId})) as key, id
  from (${numberedSends}) as send
  cross join lateral unnest(addresses) as address
  order by key`;

const storeEvents = `
  insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype, complaint_type,
    reply_status, reply, reporting_mta, duration_ms)
  select event_id, id, account_id, mode, event_type, event_at, recipient,
    case when event_type = 'Bounce' then case when position = 0 then 'Permanent' else 'Transient' end end,
    case when event_type = 'Bounce' then case when position = 0 then 'General' else 'MailboxFull' end end,
    case when event_type = 'Complaint' then 'abuse' end,
    case when event_type = 'Bounce' then case when position = 0 then '5.1.1' else '4.2.2' end end,
    case event_type when 'Bounce' then case when position = 0 then 'smtp; 550 5.1.1 user unknown' else 'smtp; 452 4.2.2 mailbox full' end
      when 'Delivery' then '250 2.6.0 Message received' end,
    'mx.example.test', case when event_type = 'Delivery' then duration_ms end
  from (${numberedEvents}) as event
  order by event_id`;

const storeSuppressions = `
  insert into suppressions (id, account_id, mode, email, reason, suppressed_at, send_id)
  select distinct on (recipient) event_id, account_id, mode, recipient,
    case when event_type = 'Bounce' then 'hard_bounce' else 'complaint' end, event_at, id
  from (${numberedEvents}) as event
  where position = 0 and event_type <> 'Delivery' and mode = 'live'
  order by recipient, event_id
  on conflict do nothing`;

const delivered = "recipients - hard_bounces - soft_bounces - complaints";
const counters = `accepted_sends, accepted_recipients, content_bytes, delivered, bounced_hard, bounced_soft, complained`;
const times = Array.from({ length: deliveryTimeBuckets }, (_, bucket) =>
  bucket < 5 ? `coalesce(sum(${delivered}) filter (where number % 5 = ${bucket}), 0)::bigint` : "0",
);

const storeUsage = `
  insert into usage_hours as known (account_id, mode, hour, domain, ${counters}, delivery_times)
  select account_id, mode, date_trunc('hour', at, 'UTC') as hour, domain, count(*), sum(recipients), count(*) * 2000, sum(${delivered}),
    sum(hard_bounces), sum(soft_bounces), sum(complaints), array[${times.join(", ")}]
  from (${numberedSends}) as send
  group by account_id, mode, hour, domain
  order by account_id, mode, hour, domain
  on conflict (account_id, mode, hour, domain) do update
  set ${counters
    .split(", ")
    .map((name) => `${name} = known.${name} + excluded.${name}`)
    .join(", ")}, delivery_times = add_counts(known.delivery_times, excluded.delivery_times)`;

const storeKeyUsage = `
  insert into usage_key_hours as known (account_id, api_key_id, hour, sends, recipients)
  select account_id, key_id, date_trunc('hour', at, 'UTC') as hour, count(*), sum(recipients)
  from (${numberedSends}) as send
  where key_id is not null
  group by account_id, key_id, hour
  order by account_id, key_id, hour
  on conflict (account_id, api_key_id, hour) do update
  set sends = known.sends + excluded.sends, recipients = known.recipients + excluded.recipients`;

const storeGuardCounts = `
  insert into guard_counts (account_id, epoch, day, outcomes, hard_bounces, complaints, checked)
  select account_id, 0, (hour at time zone 'UTC')::date as day, sum(delivered + bounced_hard), sum(bounced_hard), sum(complained),
    sum(delivered + bounced_hard + complained)
  from usage_hours
  where account_id = $1 and mode = 'live' and hour > now() - interval '8 days'
  group by account_id, day
  order by account_id, day
  on conflict do nothing`;

async function change(db: Database, text: string): Promise<void> {
  await db.query({ name: text, text, isPlannedEachTime: true });
}
