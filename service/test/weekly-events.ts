import type { Database } from "../src/db/database.ts";
import { change } from "./send-rows.ts";

/**
 * Gives `events` partitions of a week for the last `weeks` weeks and the present one. Without autovacuum, whose statistics would make
 * PostgreSQL plan again.
 */
export async function makeWeeksOfEvents(db: Database, weeks: number): Promise<void> {
  await change(
    db,
    `do $$
     declare
       present timestamptz := date_trunc('week', now(), 'UTC');
       week timestamptz;
     begin
       for week in select generate_series(present - interval '${weeks} weeks', present, interval '7 days') loop
         execute format('create table events_%s partition of events for values from (%L) to (%L) with (autovacuum_enabled = false)',
           to_char(week at time zone 'UTC', 'YYYY_MM_DD'), first_id_at(week), first_id_at(week + interval '7 days'));
       end loop;
     end;
     $$`,
  );
}

interface RepeatedEvents {
  accountId: string;
  count: number;
  daysBetween: number;
}

/** Stores live deliveries of one send at equal distances; the newest has the current time. */
export async function repeatEvents(db: Database, { accountId, count, daysBetween }: RepeatedEvents): Promise<void> {
  await change(
    db,
    `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
     select new_id_at(at), $1, $1, 'live', 'Delivery', at, 'jane@example.test'
     from generate_series(0, $2::integer - 1) as n
     cross join lateral (select now() - make_interval(secs => 86400 * n * $3::float8) as at) as moment`,
    [accountId, count, daysBetween],
  );
}
