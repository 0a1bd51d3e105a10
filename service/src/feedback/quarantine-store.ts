import { hash } from "node:crypto";
import type { Queryable } from "../db/database.ts";

export type QuarantineReason = "unknown-send" | "unreadable" | "from-the-future";

export interface Quarantined {
  id: number;
  reason: QuarantineReason;
  raw: string;
  tries: number;
  receivedAt: string;
}

const maxRawLength = 256 * 1024;

/** Nothing the provider tells is thrown away. What may be usable later is tried again; told again it stays one row. */
export async function quarantine(db: Queryable, entries: { reason: QuarantineReason; raw: string }[]): Promise<void> {
  await db.query({
    name: "quarantine-feedback",
    text: `
      insert into feedback_quarantine (reason, raw, raw_hash, next_try_at)
      select distinct on (raw_hash) reason, raw, raw_hash,
        case when reason = 'unreadable' then null else now() + interval '10 seconds' end
      from unnest($1::text[], $2::text[], $3::bytea[]) as entry (reason, raw, raw_hash)
      order by raw_hash
      on conflict (raw_hash) do nothing`,
    values: [
      entries.map((entry) => entry.reason),
      entries.map((entry) => entry.raw.replaceAll("\0", "\u{fffd}").slice(0, maxRawLength)),
      entries.map((entry) => hash("sha256", entry.raw, "buffer")),
    ],
  });
}

const inHandSeconds = 60;

/** Takes what is due to be tried again, for a minute: a process that dies with it in hand has lost nothing but that. */
export async function takeDueQuarantined(db: Queryable, count: number): Promise<Quarantined[]> {
  return db.query<Quarantined>({
    name: "take-due-quarantined",
    text: `
      with due as materialized (
        select id
        from feedback_quarantine
        where next_try_at <= now()
        order by next_try_at
        limit $1
        for update skip locked
      )
      update feedback_quarantine q
      set next_try_at = now() + make_interval(secs => $2)
      from due
      where q.id = due.id
      returning q.id, q.reason, q.raw, q.tries, q.received_at as "receivedAt"`,
    values: [count, inHandSeconds],
  });
}

/** Puts the next try further away each time, for a day. */
export async function postponeQuarantined(db: Queryable, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query({
    name: "postpone-quarantined",
    text: `
      update feedback_quarantine
      set tries = tries + 1,
        next_try_at = case when received_at > now() - interval '24 hours'
          then now() + least(interval '1 hour', interval '10 seconds' * power(2, least(tries + 1, 12))) end
      where id = any ($1::bigint[])`,
    values: [ids],
  });
}

export async function releaseQuarantined(db: Queryable, ids: number[]): Promise<void> {
  await db.query({
    name: "release-quarantined",
    text: `delete from feedback_quarantine where id = any($1::bigint[])`,
    values: [ids],
  });
}

export interface QuarantineCount {
  reason: QuarantineReason;
  entries: number;
  /** Of them, those that came within a day. */
  fresh: number;
}

/** Of the newest so many entries. */
export async function countQuarantined(db: Queryable, countedAtMost: number): Promise<QuarantineCount[]> {
  return db.query<QuarantineCount>({
    name: "count-quarantined",
    text: `
      select reason, count(*) as entries, count(*) filter (where received_at > now() - interval '1 day') as fresh
      from (
        select reason, received_at
        from feedback_quarantine
        order by id desc
        limit $1
      ) as latest
      group by reason
      order by reason`,
    values: [countedAtMost],
  });
}

export interface QuarantineEntry {
  id: number;
  receivedAt: string;
  reason: QuarantineReason;
  tries: number;
  nextTryAt: string | null;
  length: number;
}

/** Newest first. */
export async function listQuarantined(db: Queryable, limit: number): Promise<QuarantineEntry[]> {
  return db.query<QuarantineEntry>({
    name: "list-quarantined",
    text: `
      select id, received_at as "receivedAt", reason, tries, next_try_at as "nextTryAt", length(raw) as length
      from feedback_quarantine
      order by id desc
      limit $1`,
    values: [limit],
  });
}

export async function findQuarantined(
  db: Queryable,
  id: number,
): Promise<(QuarantineEntry & { raw: string }) | undefined> {
  const [row] = await db.query<QuarantineEntry & { raw: string }>({
    name: "find-quarantined",
    text: `
      select id, received_at as "receivedAt", reason, tries, next_try_at as "nextTryAt", length(raw) as length, raw
      from feedback_quarantine
      where id = $1`,
    values: [id],
  });
  return row;
}

/** Makes one entry, or all of them, due now, also those that were not to be tried any more. Returns how many. */
export async function replayQuarantined(db: Queryable, id: number | undefined): Promise<number> {
  const [row] = await db.query<{ due: number }>({
    name: "replay-quarantined",
    text: `
      with due as (
        update feedback_quarantine
        set next_try_at = now()
        where $1::bigint is null or id = $1
        returning id
      )
      select count(*) as due
      from due`,
    values: [id ?? null],
  });
  return row?.due ?? 0;
}

/**
 * Sends that the provider took and this database does not have, newest first: accepted in what a failover or restore lost.
 * The tag stands in the text of SES, which lies as text in the envelope of SNS or alone.
 */
export async function listUnknownSends(
  db: Queryable,
  limit: number,
): Promise<{ sendId: string; receivedAt: string }[]> {
  return db.query<{ sendId: string; receivedAt: string }>({
    name: "list-unknown-sends",
    text: `
      select told.send_id as "sendId", min(told.received_at) as "receivedAt"
      from (
        select substring(raw from 'send_id[\\\\": \\[]+([0-9a-f]{8}-[0-9a-f-]{27})') as send_id, received_at
        from feedback_quarantine
        where reason = 'unknown-send'
      ) as told
      where told.send_id is not null
      group by told.send_id
      order by told.send_id desc
      limit $1`,
    values: [limit],
  });
}
