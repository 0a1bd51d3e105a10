import type pg from "pg";
import { usageRetentionDays } from "../../service/src/usage/drop-old-usage.ts";
import { accountIdOf, firstIdAt, idAt, mixed } from "./dataset.ts";
import type { TimeRange } from "./time-ranges.ts";

/** The number of endpoints with deliveries, in every dataset. */
export const endpoints = 32;
const webhookTables = ["notifications", "webhook_deliveries", "webhook_attempts"] as const;

/** Rows that PostgreSQL makes from the stored sends, and the same number of webhook endpoints in every dataset. */
export async function deriveRows(client: pg.Client, webhookWeeks: TimeRange[]): Promise<void> {
  await client.query("set work_mem = '512MB'");
  await client.query("set session_replication_role = replica");
  await indexRecipients(client);
  await countUsage(client);
  await deliverNotifications(client, webhookWeeks);
}

/** As the trigger `sends_indexed` does. The recipients of a send differ. */
async function indexRecipients(client: pg.Client): Promise<void> {
  await client.query("drop index send_searches_key_idx");
  await client.query(
    `insert into send_searches (key, send_id)
     select search_key(s.id, search_hash(s.account_id, recipient), first_fine.id), s.id
     from sends s
     cross join (select first_fine_id() as id) as first_fine
     cross join lateral unnest(lower(s.to_addresses::text)::text[]) as recipient`,
  );
  await client.query("create index send_searches_key_idx on send_searches (key, send_id)");
}

/** In the order of time, as they are counted. */
async function countUsage(client: pg.Client): Promise<void> {
  await client.query("alter table usage_hours drop constraint usage_hours_once");
  await client.query(
    `insert into usage_hours (account_id, mode, hour, domain, accepted_sends, accepted_recipients, delivered)
     select account_id, mode, date_trunc('hour', queued_at, 'UTC'), written_domain(from_address), count(*), sum(to_count), sum(to_count)
     from sends
     where queued_at > now() - interval '${usageRetentionDays} days'
     group by 1, 2, 3, 4
     order by 3, 1, 2, 4`,
  );
  await client.query(
    "alter table usage_hours add constraint usage_hours_once primary key (account_id, mode, hour, domain)",
  );
}

/** The endpoints are for test mails, so that the live sends of the bench cost what they cost without webhooks. */
export function endpointIdOf(number: number): string {
  return idAt(Date.UTC(2020, 0, 1), mixed(number, 24), mixed(number, 25));
}

/** A finished delivery for each send of the last weeks: retention has deleted the older ones. */
async function deliverNotifications(client: pg.Client, weeks: TimeRange[]): Promise<void> {
  const ids = Array.from({ length: endpoints }, (_, number) => endpointIdOf(number));
  const accountIds = Array.from({ length: endpoints }, (_, number) => accountIdOf(number));
  await client.query(
    `with stored as (
       insert into webhook_endpoints (id, account_id, mode, url, types)
       select id, account_id, 'test', 'https://hooks.example.com/in', '{send.sent}'
       from unnest($1::uuid[], $2::uuid[]) as endpoint (id, account_id)
       returning id, account_id
     )
     insert into webhook_secrets (id, endpoint_id, account_id, sealed)
     select gen_random_uuid(), id, account_id, 'secret'
     from stored`,
    [ids, accountIds],
  );
  for (const table of webhookTables) {
    for (const { suffix, fromMs, toMs } of weeks) {
      await client.query(
        `create table ${table}_${suffix} partition of ${table} for values from ('${firstIdAt(fromMs)}') to ('${firstIdAt(toMs)}')`,
      );
    }
  }
  await client.query(
    `with sent as materialized (
       select id, queued_at, row_number() over () % ${endpoints} + 1 as endpoint
       from sends
       where id >= '${firstIdAt(weeks[0]?.fromMs ?? 0)}'
     ), notified as (
       insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
       select id, id, ($2::uuid[])[endpoint], 'test', 'send.sent', queued_at, repeat('x', 400)
       from sent
     ), delivered as (
       insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, state, finished_at)
       select id, ($2::uuid[])[endpoint], ($1::uuid[])[endpoint], id, id, 'send.sent', 'delivered', queued_at
       from sent
     )
     insert into webhook_attempts (id, delivery_id, account_id, endpoint_id, attempt, status)
     select id, id, ($2::uuid[])[endpoint], ($1::uuid[])[endpoint], 1, 200
     from sent`,
    [ids, accountIds],
  );
}
