import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import type { EventType } from "../src/events/send-event.ts";
import type { Mode } from "../src/mode.ts";

interface EventOptions {
  accountId: string;
  mode?: Mode;
  sendId?: string;
  type?: EventType;
  /** Also the time inside the id, which decides the position in lists. */
  at?: string;
  recipient?: string;
  bounceType?: "Permanent" | "Transient";
  bounceSubtype?: string;
  complaintType?: string;
  replyStatus?: string;
  reply?: string;
  reportingMta?: string;
  durationMs?: number;
}

/** Returns the event's id. The send need not exist. */
export async function anEvent(db: Database, options: EventOptions): Promise<string> {
  const { accountId, mode = "live", type = "Delivery", at = new Date().toISOString() } = options;
  const [row] = await db.query<{ id: string }>({
    name: "an-event",
    text: `
      insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, bounce_subtype,
        complaint_type, suppression_reason, suppressed_at, reply_status, reply, reporting_mta, duration_ms)
      values (new_id_at($5), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
      returning id`,
    values: [
      options.sendId ?? randomUUIDv7(),
      accountId,
      mode,
      type,
      at,
      options.recipient ?? `to-${randomBytes(5).toString("hex")}@example.test`,
      options.bounceType ?? null,
      options.bounceSubtype ?? null,
      options.complaintType ?? null,
      type === "Suppression" ? "hard_bounce" : null,
      type === "Suppression" ? "2026-11-01T00:00:00.000Z" : null,
      options.replyStatus ?? null,
      options.reply ?? null,
      options.reportingMta ?? null,
      options.durationMs ?? null,
    ],
  });
  if (row === undefined) throw new Error("the event was not stored");
  return row.id;
}

interface ManyEvents {
  accountId: string;
  count: number;
  mode?: Mode;
  type?: EventType;
  recipient?: string;
}

/** Stores the events in one statement, a millisecond apart, the newest with the current time. */
export async function manyEvents(db: Database, options: ManyEvents): Promise<void> {
  const { accountId, count, mode = "live", type = "Delivery", recipient = "jane@example.test" } = options;
  await db.query({
    name: "many-events",
    text: `
      insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
      select new_id_at(at), gen_random_uuid(), $1, $2, $3, at, $4
      from (select now() - make_interval(secs => n / 1000.0) as at from generate_series(0, $5 - 1) as n) as times`,
    values: [accountId, mode, type, recipient, count],
  });
}
