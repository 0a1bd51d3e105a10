import type { Database } from "../../src/db/database.ts";
import { totalOfLists } from "../../src/db/list-counts.ts";
import { bothModes } from "../../src/mode.ts";
import { change } from "../../test/send-rows.ts";

const lists = ["Delivery", "Bounce", "Complaint", "Suppression", "suppressions"];

export interface Look {
  /** Events and suppressions that are listed with a send that does not exist. */
  unresolved: number;
  /** Entries by which the totals of the account differ from a recount. */
  miscounted: number;
}

/** One snapshot of what the lists of the account show. */
export async function look(db: Database, accountId: string): Promise<Look> {
  const [row] = await change(
    db,
    `select (
         select count(*)
         from (
           select send_id from events where account_id = $1
           union all
           select send_id from suppressions where account_id = $1 and send_id is not null
         ) as listed
         where not exists (select from sends s where s.id = listed.send_id)
       )::integer as unresolved,
       abs(${totalOfLists("$3")} - (select count(*) from events where account_id = $1)
         - (select count(*) from suppressions where account_id = $1))::integer as miscounted`,
    [accountId, bothModes, lists],
  );
  return { unresolved: Number(row?.unresolved), miscounted: Number(row?.miscounted) };
}

/** How much of each kind is left that the retention has to drop: of months before `keptSince`, and nothing needs it. */
export async function countLeft(db: Database, keptSince: Date): Promise<Record<string, number>> {
  const gone = (table: string) =>
    `(select count(*) from ${table} o where o.send_id < first_id_at($1) and not exists (select from sends s where s.id = o.send_id))::integer`;
  const [row] = await change(
    db,
    `select
       (select count(*) from events where id < first_id_at($1))::integer as events,
       (
         select count(*)
         from sends s
         where s.id < first_id_at($1)
           and coalesce(s.sent_at, '-infinity') < $1
           and not exists (select from events e where e.send_id = s.id)
           and not exists (select from send_queue q where q.id = s.id)
           and not exists (select from scheduled_sends p where p.id = s.id)
       )::integer as sends,
       ${gone("send_attempts")} as attempts, ${gone("delivery_delays")} as delays, ${gone("idempotency_keys")} as keys,
       ${gone("send_searches")} as "search entries", ${gone("suppressions")} as "suppressions that name one"`,
    [keptSince.toISOString()],
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([kind, count]) => [kind, Number(count)]));
}

/** What the account has. `olderSends`: of months before `keptSince`, with an event. `partitions`: of all accounts. */
export async function countRecords(db: Database, accountId: string, keptSince: Date) {
  const [row] = await change(
    db,
    `select (select count(*) from sends where account_id = $1)::integer as sends,
       (select count(*) from events where account_id = $1)::integer as events,
       (
         select count(*)
         from sends s
         where s.account_id = $1
           and s.id < first_id_at($2)
           and exists (select from events e where e.send_id = s.id)
       )::integer as older,
       (select count(*) from partition_ranges where parent in ('sends', 'events'))::integer as partitions`,
    [accountId, keptSince.toISOString()],
  );
  return {
    sends: Number(row?.sends),
    events: Number(row?.events),
    olderSends: Number(row?.older),
    partitions: Number(row?.partitions),
  };
}

export async function countExisting(db: Database, ids: string[]): Promise<number> {
  const [row] = await change(db, "select count(*)::integer as count from sends where id = any ($1)", [ids]);
  return Number(row?.count);
}

/** The oldest sends with a key. No later event keeps them: the complaints of the traffic are about younger ones. */
export async function pickDroppable(db: Database, accountId: string): Promise<string[]> {
  const rows = await change(
    db,
    `select s.id
     from sends s
     join idempotency_keys k on k.key_hash = md5(s.id::text)::uuid
     where s.account_id = $1
       and s.id < first_id_at(now() - interval '300 days')
     order by s.id
     limit 20`,
    [accountId],
  );
  return rows.map(({ id }) => String(id));
}
