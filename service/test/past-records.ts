import type { Database } from "../src/db/database.ts";
import { change } from "./send-rows.ts";

const dayMs = 86_400_000;

/** The first moment that a retention of so many days keeps. */
export function keptSince(retentionDays: number): Date {
  const oldest = new Date(Date.now() - retentionDays * dayMs);
  return new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth(), 1));
}

/** So many days before a moment, or after it when they are negative. */
export function daysBefore(moment: Date, days: number): string {
  return new Date(moment.getTime() - days * dayMs).toISOString();
}

/** Makes the partitions of sends and events of the months that a new database does not have, for a year back. */
export async function makePastMonths(db: Database): Promise<void> {
  await change(
    db,
    `do $$
     declare
       month timestamp := date_trunc('month', now() at time zone 'UTC') - interval '12 months';
       first timestamp := (select min(starts_at) from partition_ranges where parent = 'sends') at time zone 'UTC';
       parent text;
     begin
       while month < first loop
         foreach parent in array array['sends', 'events'] loop
           execute format('create table %I partition of %I for values from (%L) to (%L)', parent || to_char(month, '_YYYY_MM'), parent,
             first_id_at(month at time zone 'UTC'), first_id_at((month + interval '1 month') at time zone 'UTC'));
         end loop;
         month := month + interval '1 month';
       end loop;
     end
     $$`,
  );
}

interface PastSend {
  accountId: string;
  /** When it was accepted. */
  at: string;
  /** When it was submitted; two seconds after it was accepted unless given. */
  sentAt?: string;
  recipient?: string;
}

/** A delivered send with a key, an attempt, a delay and a suppression that names it, but without events. Returns its id. */
export async function aPastSend(db: Database, { accountId, at, sentAt, recipient }: PastSend): Promise<string> {
  const [row] = await change(
    db,
    `with stored as (
       insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at, sent_at,
         provider_message_id, outcomes)
       values (new_id_at($2), $1, 'live', 'delivered', 'a@shop.test', array[coalesce($4, gen_random_uuid() || '@x.test')], 1, 0, 'Hello', $2,
         coalesce($3::timestamptz, $2::timestamptz + interval '2 s'), 'm-' || gen_random_uuid(), '{2}')
       returning id, account_id, to_addresses[1] as recipient
     ), key as (
       insert into idempotency_keys (key_hash, account_id, send_id, fingerprint, status, queued_at)
       select md5(id::text)::uuid, account_id, id, '', 'queued', $2 from stored
     ), attempt as (
       insert into send_attempts (send_id, attempt, started_at, ended_at, outcome)
       select id, 1, $2, $2, 'try-later' from stored
     ), delay as (
       insert into delivery_delays (id, send_id, account_id, mode, delayed_at, recipient, delay_type)
       select new_id_at($2), id, account_id, 'live', $2, recipient, 'General' from stored
     ), suppressed as (
       insert into suppressions (id, account_id, mode, email, reason, send_id)
       select new_id_at($2), account_id, 'live', recipient, 'complaint', id from stored
     )
     select id from stored`,
    [accountId, at, sentAt ?? null, recipient ?? null],
  );
  return String(row?.id);
}

/** How many rows name each of these sends, by table. Tables without one are left out. */
export async function whatNames(db: Database, ids: string[]): Promise<Record<string, number>> {
  const columns = {
    sends: "id",
    events: "send_id",
    send_attempts: "send_id",
    delivery_delays: "send_id",
    suppressions: "send_id",
    idempotency_keys: "send_id",
    send_searches: "send_id",
  };
  const found: Record<string, number> = {};
  for (const [table, column] of Object.entries(columns)) {
    const [row] = await change(db, `select count(*)::integer as rows from ${table} where ${column} = any ($1)`, [ids]);
    if (Number(row?.rows) > 0) found[table] = Number(row?.rows);
  }
  return found;
}
