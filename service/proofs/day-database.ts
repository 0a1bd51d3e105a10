import type { Database } from "../src/db/database.ts";
import type { Aftermath, Ending } from "./day-endings.ts";

/** Nothing queued, no pace, no hold. */
export async function beginAnew(db: Database): Promise<void> {
  await db.query({
    name: "begin-anew",
    text: `
      with emptied as (
        delete from send_queue
      )
      update provider_state
      set max_per_second = 1000000, hold_reason = null, held_since = null, probe_at = null, held_for = '0'
      returning set_pace(mode, 'epoch')`,
  });
}

export async function useUnknownSet(db: Database, domain: string): Promise<void> {
  await db.query({
    name: "use-unknown-set",
    text: "update domains set configuration_set_name = 'postern-ZZ' where domain_name = $1",
    values: [domain],
  });
}

export async function endPatience(db: Database, sendIds: string[]): Promise<void> {
  await db.query({
    name: "end-patience",
    text: `
      update send_queue
      set retrying_since = now() - interval '25 hours'
      where id = any($1::uuid[])`,
    values: [sendIds],
  });
}

/** The delay is exact: attempt and queue row are written by one statement. */
export async function readEndings(db: Database, sendIds: string[]): Promise<Map<string, Ending>> {
  const rows = await db.query<Omit<Ending, "delay"> & { id: string; delaySeconds: number | null }>({
    name: "read-endings",
    text: `
      select s.id, s.status, s.error_code as "errorCode",
        s.provider_message_id is not null and s.sent_at is not null as "isNamed",
        coalesce(s.error_message like '%SES sandbox%', false) as "namesSandbox",
        q.state, q.attempt, q.backoff_step as steps,
        extract(epoch from q.due_at - a.ended_at)::float8 as "delaySeconds",
        (
          select string_agg(each.attempt || ' ' || each.outcome, ', ' order by each.attempt)
          from send_attempts each
          where each.send_id = s.id
        ) as attempts
      from sends s
      left join send_queue q on q.id = s.id
      left join send_attempts a on a.send_id = s.id and a.attempt = 1 and q.state = 'waiting'
      where s.id = any($1::uuid[])`,
    values: [sendIds],
  });
  return new Map(rows.map(({ id, delaySeconds, ...ending }) => [id, { ...ending, delay: delayIn(delaySeconds) }]));
}

function delayIn(seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds >= 1 && seconds <= 3) return "1 to 3 s";
  return seconds >= 4 && seconds <= 6 ? "4 to 6 s" : `${seconds} s`;
}

/** Slowed counts from the first answer on; otherwise the next one may go at once. */
export async function readAftermath(db: Database, domain: string): Promise<Omit<Aftermath, "claimedAgain">> {
  const [row] = await db.query<Omit<Aftermath, "claimedAgain">>({
    name: "read-aftermath",
    text: `
      with answered as materialized (
        select min(a.ended_at) as first_at
        from send_queue q
        join send_attempts a on a.send_id = q.id
      )
      select p.hold_reason as hold,
        coalesce(lock_pace(p.mode) > answered.first_at + interval '0.5 seconds', false) as "isSlowed",
        not d.is_dkim_verified and d.next_check_at <= now() as "isDomainDue"
      from provider_state p
      join domains d on d.domain_name = $1
      cross join answered
      where p.mode = 'live'`,
    values: [domain],
  });
  if (row === undefined) throw new Error(`the domain ${domain} is not there`);
  return row;
}
