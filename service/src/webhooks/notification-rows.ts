import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import type { NotificationType } from "./notification-types.ts";

/** A notification without its envelope, and the permanent rows that it is about. */
export interface NotificationRow {
  id: string;
  publicId: string;
  accountId: string;
  mode: Mode;
  type: NotificationType;
  occurredAt: string;
  sequence: number | null;
  sendStatus: string | null;
  facts: Record<string, unknown> | null;
  send: NotifiedSend | null;
  event: NotifiedEvent | null;
  /** Made from the event for a replay, because the notification is not stored. */
  isRebuilt: boolean;
}

export interface NotifiedSend {
  id: string;
  from: string;
  subject: string;
  idempotency_key: string;
  provider_message_id: string | null;
  queued_at: string;
  tags?: string[] | null;
  /** JSON. */
  metadata?: string | null;
}

export interface NotifiedEvent {
  /** As the send spells it. */
  recipient: string;
  bounceType: "Permanent" | "Transient" | null;
  bounceSubtype: string | null;
  complaintType: string | null;
  suppressionReason: string | null;
  suppressedAt: string | null;
  replyStatus: string | null;
  reply: string | null;
  durationMs: number | null;
  /** Whether this event put the address on the list of suppressions, or found it there. */
  isSuppressed: boolean;
  /** The send that caused the suppression, of an address that was suppressed before. */
  causingSendId: string | null;
}

/** In the order of `ids`. Serves all accounts. */
export function readNotifications(db: Queryable, ids: readonly string[]): Promise<NotificationRow[]> {
  return db.query<NotificationRow>({
    name: "read-new-notifications",
    text: `
      select n.id, n.public_id as "publicId", n.account_id as "accountId", n.mode, n.type, n.occurred_at as "occurredAt",
        n.sequence, n.send_status as "sendStatus", n.facts, s.send, e.event, false as "isRebuilt"
      from unnest($1::uuid[]) with ordinality as given (id, position)
      cross join lateral ${indexLookup(`
        select *
        from notifications
        where notifications.id = given.id`)} as n
      left join lateral ${indexLookup(sendOf("n.account_id", "n.send_id"))} as s on true
      left join lateral ${indexLookup(eventOf("n"))} as e on true
      order by given.position`,
    values: [uuidArray([...ids])],
  });
}

/** SQL: the send, and its status now. */
export function sendOf(account: string, id: string): string {
  return `
        select jsonb_build_object('id', sends.id, 'from', sends.from_address, 'subject', sends.subject,
          'idempotency_key', coalesce(sends.idempotency_key, sends.id::text), 'provider_message_id', sends.provider_message_id,
          'queued_at', sends.queued_at, 'tags', sends.tags, 'metadata', sends.metadata) as send, sends.status
        from sends
        where sends.account_id = ${account}
          and sends.id = ${id}`;
}

/** The recipient as the send spells it, as in the API (events/facts-of-send.ts). */
export function eventOf(notification: string): string {
  return `
        select jsonb_build_object('recipient', coalesce(given_recipient(events.send_id, events.recipient), events.recipient),
          'bounceType', events.bounce_type, 'bounceSubtype', events.bounce_subtype, 'complaintType', events.complaint_type,
          'suppressionReason', events.suppression_reason, 'suppressedAt', events.suppressed_at, 'replyStatus', events.reply_status,
          'reply', events.reply, 'durationMs', events.duration_ms, 'isSuppressed', listed.email is not null,
          'causingSendId', listed.send_id) as event
        from events
        left join lateral (
          select l.email, l.send_id
          from suppressions l
          where l.account_id = events.account_id
            and l.mode = events.mode
            and l.email = events.recipient
        ) as listed on true
        where events.account_id = ${notification}.account_id
          and events.id = ${notification}.public_id
          and ${notification}.type in ('send.delivered', 'send.bounced', 'send.complained', 'send.suppressed')`;
}
