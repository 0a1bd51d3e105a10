import type { AccountDatabase } from "../db/database.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { AppError } from "../errors.ts";
import type { NotificationType } from "./notification-types.ts";

export const deliveryStates = ["pending", "delivering", "paused", "delivered", "failed", "cancelled"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Attempt {
  at: string;
  status: number | null;
  durationMs: number | null;
  failure: string | null;
}

/** A notification for one endpoint. */
export interface Delivery {
  id: string;
  /** What the receiver sees as `webhook-id`. */
  publicId: string;
  type: NotificationType;
  state: DeliveryState;
  isReplay: boolean;
  isTest: boolean;
  createdAt: string;
  finishedAt: string | null;
  durationMs: number | null;
  attempts: number;
  nextAttemptAt: string | null;
  lastAttempt: Attempt | null;
  /** Null when it is about no send. */
  sendId: string | null;
}

export interface AttemptDetails extends Attempt {
  answer: string | null;
  /** `webhook-timestamp` of the request. */
  timestamp: number;
  /** Null when no request was made, and in attempts of earlier releases. */
  url: string | null;
  signature: string | null;
}

export interface DeliveryDetails extends Delivery {
  /** The body that every attempt sends; null when it is no longer stored. */
  body: string | null;
  /** Oldest first. */
  allAttempts: AttemptDetails[];
}

/** What happens to a delivery that has not ended is in the queue. */
const shownState = "coalesce(q.state, d.state)";

const columns = `d.id, d.public_id as "publicId", d.type, ${shownState} as state, d.is_replay as "isReplay", d.is_test as "isTest", d.send_id as "sendId",
          time_of_id(d.id) as "createdAt", d.finished_at as "finishedAt", d.duration_ms as "durationMs",
          coalesce(last.attempt, 0) as attempts, case when q.state = 'pending' then q.due_at end as "nextAttemptAt",
          case when last.id is not null then jsonb_build_object(
            'at', time_of_id(last.id), 'status', last.status, 'durationMs', last.duration_ms, 'failure', last.failure
          ) end as "lastAttempt"`;

/** SQL: what the columns need beside the delivery `d`. */
const withQueue = `left join lateral ${indexLookup(`
          select queued.state, queued.due_at
          from webhook_queue queued
          where queued.account_id = $1
            and queued.delivery_id = d.id
            and d.state = 'pending'`)} as q on true`;
const withLastAttempt = `left join lateral (
          select a.id, a.attempt, a.status, a.duration_ms, a.failure
          from webhook_attempts a
          where a.account_id = $1
            and a.delivery_id = d.id
          order by a.id desc
          limit 1
        ) as last on true`;

/** States and types have no index, so one request looks at no more than this many. */
const maxScanned = 10_000;

export interface DeliveryFilter {
  state?: DeliveryState | undefined;
  type?: NotificationType | undefined;
  /** Created at this time or later, and before this time. */
  since?: string | undefined;
  until?: string | undefined;
  /** Only those that are about this send. */
  sendId?: string | undefined;
  before?: string | undefined;
  limit: number;
}

/** A send has few deliveries; an endpoint can have millions. Only the index of the send can serve this. */
const ofSend = "d.send_id = $10::uuid and d.endpoint_id::text = $2::uuid::text";

/** Newest first. */
export async function listDeliveries(
  db: AccountDatabase,
  endpointId: string,
  { state, type, since, until, sendId, before, limit }: DeliveryFilter,
): Promise<{ deliveries: Delivery[]; nextBefore: string | undefined }> {
  const scanLimit = state === undefined && type === undefined ? limit + 1 : maxScanned;
  const rows = await db.query<Delivery & ScannedRow>({
    name: sendId === undefined ? "list-webhook-deliveries" : "list-webhook-deliveries-of-send",
    text: `
      select ${columns}, d."isWanted", d."scanPosition"
      from (
        select scanned.*
        from (
          select newest.*,
            ($4::text is null or coalesce(q.state, newest.state) = $4) and ($7::text is null or newest.type = $7) as "isWanted",
            row_number() over (order by newest.id desc) as "scanPosition"
          from (
            select d.id, d.public_id, d.type, d.state, d.is_replay, d.is_test, d.send_id, d.finished_at, d.duration_ms
            from webhook_deliveries d
            where d.account_id = $1
              and ${sendId === undefined ? "d.endpoint_id = $2" : ofSend}
              and ($3::uuid is null or d.id < $3)
              and ($8::timestamptz is null or d.id >= first_id_at($8))
              and ($9::timestamptz is null or d.id < first_id_at($9))
            order by d.id desc
            limit $5
          ) as newest
          left join lateral ${indexLookup(`
            select queued.state
            from webhook_queue queued
            where queued.account_id = $1
              and queued.delivery_id = newest.id
              and newest.state = 'pending'`)} as q on true
        ) as scanned
        where "isWanted" or "scanPosition" = $5
        order by id desc
        limit $6
      ) as d
      ${withQueue}
      ${withLastAttempt}
      order by d.id desc`,
    values: [
      db.accountId,
      endpointId,
      before ?? null,
      state ?? null,
      scanLimit,
      limit + 2,
      type ?? null,
      since ?? null,
      until ?? null,
      ...(sendId === undefined ? [] : [sendId]),
    ],
    isReadInOrder: true,
    isPlannedEachTime: true,
  });
  const { wanted, nextBefore } = keysetPage(rows, { limit, scanLimit });
  return { deliveries: wanted, nextBefore };
}

export async function getDelivery(db: AccountDatabase, endpointId: string, id: string): Promise<DeliveryDetails> {
  const [delivery] = await db.query<DeliveryDetails>({
    name: "get-webhook-delivery",
    text: `
      select ${columns}, n.envelope as body, tried.attempts as "allAttempts"
      from webhook_deliveries d
      ${withQueue}
      ${withLastAttempt}
      left join notifications n on n.account_id = $1 and n.id = d.notification_id
      cross join lateral (
        select coalesce(jsonb_agg(
          jsonb_build_object(
            'at', time_of_id(a.id), 'status', a.status, 'durationMs', a.duration_ms, 'failure', a.failure, 'answer', a.answer,
            'timestamp', floor(extract(epoch from time_of_id(a.id))), 'url', a.url, 'signature', a.signature
          ) order by a.id
        ), '[]') as attempts
        from webhook_attempts a
        where a.account_id = $1
          and a.delivery_id = d.id
      ) as tried
      where d.account_id = $1
        and d.endpoint_id = $2
        and d.id = $3`,
    values: [db.accountId, endpointId, id],
    isPlannedEachTime: true,
  });
  if (delivery === undefined) throw noSuchDelivery();
  return delivery;
}

export function noSuchDelivery(): AppError {
  return new AppError("NOT_FOUND", "This webhook has no delivery with this id. Deliveries are kept for 30 days.");
}
