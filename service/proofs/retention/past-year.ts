import type { Database } from "../../src/db/database.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";

const chunkSize = 5_000;

/**
 * Stores `count` delivered sends of the account, evenly over the last 360 days. Nine of ten are delivered after three seconds, one after three
 * days; one of fifty gets a complaint after forty days, which suppresses its recipient. Half have an idempotency key, some attempts and delays.
 */
export async function storePastYear(db: Database, accountId: string, count: number): Promise<void> {
  for (let first = 1; first <= count; first += chunkSize)
    await storeSends(db, accountId, { first, last: Math.min(first + chunkSize - 1, count), count });
  await change(
    db,
    `insert into suppressions (id, account_id, mode, email, reason, send_id)
     select new_id_at(event_at), $1, 'live', recipient, 'complaint', send_id
     from events
     where account_id = $1
       and event_type = 'Complaint'`,
    [accountId],
  );
  await change(
    db,
    `insert into idempotency_keys (key_hash, account_id, send_id, fingerprint, status, queued_at)
     select md5(id::text)::uuid, $1, id, '', 'queued', queued_at
     from sends
     where account_id = $1
       and substr(provider_message_id, 3)::integer % 2 = 0`,
    [accountId],
  );
  await change(
    db,
    `insert into send_attempts (send_id, attempt, started_at, ended_at, outcome)
     select id, 1, queued_at, queued_at, 'try-later'
     from sends
     where account_id = $1
       and substr(provider_message_id, 3)::integer % 20 = 0`,
    [accountId],
  );
  await change(
    db,
    `insert into delivery_delays (id, send_id, account_id, mode, delayed_at, recipient, delay_type)
     select new_id_at(queued_at), id, $1, 'live', queued_at, to_addresses[1], 'General'
     from sends
     where account_id = $1
       and substr(provider_message_id, 3)::integer % 30 = 0`,
    [accountId],
  );
}

async function storeSends(
  db: Database,
  accountId: string,
  { first, last, count }: Record<"first" | "last" | "count", number>,
) {
  await change(
    db,
    `with stored as (
       insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at, sent_at,
         provider_message_id, outcomes, tags)
       select new_id_at(at), $1, 'live', 'delivered', 'a@shop.test', array['r' || n || '@x.test'], 1, 0, 'Hello', at, at + interval '2 s',
         'm-' || n, '{2}', case when n % 3 = 0 then array['tag-' || n % 7] end
       from (
         select n, date_trunc('milliseconds', now() - interval '360 days' * (n::float8 / $4::integer)) as at
         from generate_series($2::integer, $3::integer) as n
       ) as accepted
       returning id, queued_at, to_addresses[1] as recipient, substr(provider_message_id, 3)::integer as n
     )
     insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
     select new_id_at(at), id, $1, 'live', type, at, recipient
     from (
       select id, 'Delivery' as type, recipient, queued_at + case when n % 10 = 1 then interval '3 days' else interval '3 s' end as at
       from stored
       union all
       select id, 'Complaint', recipient, queued_at + interval '40 days'
       from stored
       where n % 50 = 2
     ) as happened
     where at < now()`,
    [accountId, first, last, count],
  );
}

/** Four old sends that must stay: parked, in doubt, scheduled, and submitted yesterday. Returns their ids. */
export async function storeUnfinished(db: Database, accountId: string): Promise<string[]> {
  const [parked, inDoubt, submitted] = [
    await aQueuedSend(db, { accountId }),
    await aQueuedSend(db, { accountId }),
    await aQueuedSend(db, { accountId }),
  ];
  const scheduled = await aScheduledSend(db, { accountId, dueInSeconds: 86_400 });
  await change(db, "update send_queue set state = 'parked', due_at = now() where id = $1", [parked]);
  await change(db, "update send_queue set state = 'in-doubt', due_at = now(), attempt = 1 where id = $1", [inDoubt]);
  await change(db, "delete from send_queue where id = $1", [submitted]);
  await change(db, "update sends set status = 'sent', sent_at = now() - interval '1 day' where id = $1", [submitted]);
  const ids = [];
  for (const id of [parked, inDoubt, scheduled, submitted]) {
    const [row] = await change(db, "select new_id_at(now() - interval '200 days') as id");
    for (const table of ["sends", "send_queue", "scheduled_sends"])
      await change(db, `update ${table} set id = $2 where id = $1`, [id, row?.id]);
    ids.push(String(row?.id));
  }
  return ids;
}
