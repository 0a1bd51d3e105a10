import type { Database } from "../../src/db/database.ts";
import type { Effects, SendState } from "./expected-outcomes.ts";

/** Empties the queue and removes pacing, hold and denials: three denied domains within two minutes would hold all mail. */
export async function resetQueue(db: Database): Promise<void> {
  await db.query({
    name: "reset-queue",
    text: `
      with emptied as (
        delete from send_queue
      ), allowed as (
        update domains
        set denied_since = null, denial_code = null, probe_at = null, probe_send_id = null
        where denied_since is not null
      )
      update provider_state
      set max_per_second = 1000000, hold_reason = null, held_since = null, probe_at = null, held_for = '0'
      returning set_pace(mode, 'epoch')`,
  });
}

export async function useUnknownConfigurationSet(db: Database, domain: string): Promise<void> {
  await db.query({
    name: "use-unknown-configuration-set",
    text: "update domains set configuration_set_name = 'postern-ZZ' where domain_name = $1",
    values: [domain],
  });
}

export async function expireRetryWindow(db: Database, sendIds: string[]): Promise<void> {
  await db.query({
    name: "expire-retry-window",
    text: `
      update send_queue
      set retrying_since = now() - interval '25 hours'
      where id = any($1::uuid[])`,
    values: [sendIds],
  });
}

/** The delay is exact because one statement writes the attempt and the queue row. */
export async function readSendStates(db: Database, sendIds: string[]): Promise<Map<string, SendState>> {
  const rows = await db.query<Omit<SendState, "delay"> & { id: string; delaySeconds: number | null }>({
    name: "read-send-states",
    text: `
      select s.id, s.status, s.error_code as "errorCode",
        s.provider_message_id is not null and s.sent_at is not null as "hasMessageId",
        coalesce(s.error_message like '%SES sandbox%', false) as "mentionsSandbox",
        q.state, q.attempt, q.backoff_step as "backoffStep",
        extract(epoch from q.due_at - a.ended_at)::float8 as "delaySeconds",
        (
          select string_agg(recorded.attempt || ' ' || recorded.outcome, ', ' order by recorded.attempt)
          from send_attempts recorded
          where recorded.send_id = s.id
        ) as attempts
      from sends s
      left join send_queue q on q.id = s.id
      left join send_attempts a on a.send_id = s.id and a.attempt = 1 and q.state = 'waiting'
      where s.id = any($1::uuid[])`,
    values: [sendIds],
  });
  return new Map(rows.map(({ id, delaySeconds, ...state }) => [id, { ...state, delay: delayRange(delaySeconds) }]));
}

function delayRange(seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds >= 1 && seconds <= 3) return "1 to 3 s";
  return seconds >= 4 && seconds <= 6 ? "4 to 6 s" : `${seconds} s`;
}

/** Pacing counts as slowed when the next send must wait 0.5 s after the first answer; otherwise it may go immediately. */
export async function readEffects(db: Database, domain: string): Promise<Omit<Effects, "claimedAgain">> {
  const [row] = await db.query<Omit<Effects, "claimedAgain">>({
    name: "read-effects",
    text: `
      with answered as materialized (
        select min(a.ended_at) as first_at
        from send_queue q
        join send_attempts a on a.send_id = q.id
      )
      select p.hold_reason as hold,
        coalesce(lock_pace(p.mode) > answered.first_at + interval '0.5 seconds', false) as "isSlowed",
        not d.is_dkim_verified and d.next_check_at <= now() as "isDomainDue",
        d.denied_since is not null as "isDomainDenied"
      from provider_state p
      join domains d on d.domain_name = $1
      cross join answered
      where p.mode = 'live'`,
    values: [domain],
  });
  if (row === undefined) throw new Error(`the domain ${domain} does not exist`);
  return row;
}
