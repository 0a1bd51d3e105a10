import { hash } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import { storableText } from "../db/storable-text.ts";

export type QuarantineReason = "unknown-send" | "unreadable" | "from-the-future";

export interface Quarantined {
  id: number;
  reason: QuarantineReason;
  raw: string;
  tries: number;
  receivedAt: string;
}

const maxRawLength = 256 * 1024;

/** Keeps feedback that could not be applied. What may be applied later is retried. The same text again stays one row. */
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
      entries.map((entry) => storableText(entry.raw, maxRawLength)),
      entries.map((entry) => hash("sha256", entry.raw, "buffer")),
    ],
  });
}

const takenSeconds = 60;

/** Takes due entries for a minute. If the process crashes, another one takes them after that. */
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
    values: [count, takenSeconds],
  });
}

/** Doubles the delay until the next try, up to an hour, and stops after a day. */
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

/** How long an operator can replay an entry that Postern no longer retries. */
export const quarantineRetentionDays = 30;

/**
 * Looks at a batch of entries, oldest first and after `afterId`, and deletes those that arrived `quarantineRetentionDays` ago
 * and are no longer retried. Returns `lastOldId`, from which the next batch continues, or null when no old entry is left.
 * The identity grows with the time of arrival, so a run reads old entries and at most one batch of younger ones.
 */
export async function dropOldQuarantined(
  db: Queryable,
  afterId: number,
  batchSize: number,
): Promise<{ rows: number; lastOldId: number | null }> {
  const [row] = await db.query<{ rows: number; lastOldId: number | null }>({
    name: "drop-old-quarantined",
    text: `
      with oldest as materialized (
        select id, received_at < now() - make_interval(days => $3) as is_old
        from feedback_quarantine
        where id > $1
        order by id
        limit $2
      ), deleted as (
        delete from feedback_quarantine q
        using oldest
        where q.id = oldest.id and oldest.is_old and q.next_try_at is null
        returning q.id
      )
      select (select count(*) from deleted) as rows, max(id) filter (where is_old) as "lastOldId"
      from oldest`,
    values: [afterId, batchSize, quarantineRetentionDays],
  });
  return row ?? { rows: 0, lastOldId: null };
}

export interface QuarantineCount {
  reason: QuarantineReason;
  entries: number;
  /** Of them, those received within the last day. */
  fresh: number;
}

/** Counts the newest entries, up to the given bound. */
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

/** Newest first, from the one before the entry `before` on. Without the raw text, which contains addresses. */
export async function listQuarantined(
  db: Queryable,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<QuarantineEntry[]> {
  return db.query<QuarantineEntry>({
    name: "list-quarantined",
    text: `
      select id, received_at as "receivedAt", reason, tries, next_try_at as "nextTryAt", length(raw) as length
      from feedback_quarantine
      where id < $2
      order by id desc
      limit $1`,
    values: [limit, before ?? Number.MAX_SAFE_INTEGER],
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

/** Makes one entry, or all of them, due now, including those that are no longer retried. Returns the number. */
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
 * Sends that the provider accepted and this database does not have, newest first: a failover or restore lost them. The send id is a
 * tag in the event of SES, which is either the raw text or a string inside the envelope of SNS.
 */
export async function listUnknownSends(
  db: Queryable,
  limit: number,
): Promise<{ sendId: string; receivedAt: string }[]> {
  return db.query<{ sendId: string; receivedAt: string }>({
    name: "list-unknown-sends",
    text: `
      select found.send_id as "sendId", min(found.received_at) as "receivedAt"
      from (
        select substring(raw from 'send_id[\\\\": \\[]+([0-9a-f]{8}-[0-9a-f-]{27})') as send_id, received_at
        from feedback_quarantine
        where reason = 'unknown-send'
      ) as found
      where found.send_id is not null
      group by found.send_id
      order by found.send_id desc
      limit $1`,
    values: [limit],
  });
}
