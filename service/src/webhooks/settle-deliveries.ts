import { integerArray, smallintArray, textArray, uuidArray } from "../db/array-param.ts";
import { createBatch } from "../db/batch.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup, withoutIndex } from "../db/stable-plan.ts";
import { storableText } from "../db/storable-text.ts";
import { attemptId } from "./attempt-id.ts";

/** The result of one attempt. */
export interface SettledAttempt {
  deliveryId: string;
  accountId: string;
  endpointId: string;
  attempt: number;
  attemptedAt: string;
  durationMs?: number | undefined;
  status?: number | undefined;
  answer?: string | undefined;
  /** Of the request; undefined when none was made. */
  url?: string | undefined;
  signature?: string | undefined;
  /** For the customer; undefined after a 2xx. */
  failure: string | undefined;
  /** The wait until the next attempt; undefined after the last one. */
  delaySeconds: number | undefined;
  /**
   * Only a request that was made says something about the endpoint. One that was not made is repeated without counting as an attempt. One
   * that only waited in the worker is given back without a trace.
   */
  kind: "made" | "not-made" | "given-back" | "unknown";
}

export const finalStates = ["delivered", "failed", "cancelled"] as const;
export type FinalState = (typeof finalStates)[number];
/** Undefined: the attempt had lost its lease, and its result is stored without any move. */
export type SettledState = FinalState | "pending" | "paused" | undefined;

const maxAnswerLength = 16 * 1024;
/** Of an attempt that succeeded: nobody has to find out why, and it is the only answer that an endpoint can give without end. */
const maxSuccessLength = 1024;

/** The failure of an attempt whose lease expired. */
export const unknownFailure =
  "unknown: the worker stopped before it stored the result. The endpoint may have received this attempt.";

/**
 * delivering → delivered | failed | pending | paused | cancelled, for all accounts. The attempt is the fence, by its number and its time: a
 * delivery moves only while its row in the queue has both and is delivering. One statement, so that a crash or a repetition counts nothing
 * twice:
 *
 * 1. `stored`: every attempt that was to be made, also one that lost its lease. A result replaces an earlier "unknown" of the same attempt and nothing else.
 * 2. `owned`: the attempts that own their delivery, and what becomes of it. A disabled endpoint gets no pending delivery and a deleted one
 *    none at all.
 * 3. `released`, `finished`: a final delivery leaves the queue. `rescheduled`: the others wait for their next attempt.
 * 4. `health`, `noted`: the endpoint. The last success of the set ends a failing time; failures after it begin one. Nothing is written
 *    while an endpoint works, or goes on failing.
 */
export async function settleDeliveries(db: Queryable, settled: SettledAttempt[]): Promise<SettledState[]> {
  const rows = await db.query<{ id: string; attempt: number; state: SettledState }>({
    name: "settle-webhook-deliveries",
    text: `
      with attempts as materialized (
        select delivery_id, account_id, endpoint_id, attempt, attempted_at::timestamptz as attempted_at, duration_ms, status, answer,
          failure, delay_seconds, kind, url, signature, number
        from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::text[], $6::integer[], $7::smallint[], $8::text[], $9::text[],
            $10::float8[], $11::text[], $13::text[], $14::text[]) with ordinality
          as given (delivery_id, account_id, endpoint_id, attempt, attempted_at, duration_ms, status, answer, failure, delay_seconds, kind,
            url, signature, number)
        order by delivery_id
      ), stored as (
        insert into webhook_attempts as earlier
          (id, delivery_id, account_id, endpoint_id, attempt, duration_ms, status, answer, failure, url, signature)
        select ${attemptId("attempts")}, delivery_id, account_id, endpoint_id, attempt, duration_ms, status, answer, failure, url, signature
        from attempts
        where kind <> 'given-back'
        order by delivery_id
        on conflict (id) do update
        set duration_ms = excluded.duration_ms, status = excluded.status, answer = excluded.answer, failure = excluded.failure,
          url = excluded.url, signature = excluded.signature
        where earlier.failure = $12
      ), owned as materialized (
        select attempts.delivery_id, attempts.endpoint_id, attempts.attempt, attempts.number, attempts.duration_ms, attempts.delay_seconds,
          attempts.kind, attempts.failure is not null and attempts.kind = 'made' as has_failed,
          case
            when attempts.failure is null then 'delivered'
            when endpoint.is_enabled is null then 'cancelled'
            when attempts.delay_seconds is null then 'failed'
            when endpoint.is_enabled then 'pending'
            else 'paused'
          end as state
        from attempts
        cross join lateral ${indexLookup(`
          select q.delivery_id
          from webhook_queue q
          where q.delivery_id = attempts.delivery_id
            and q.attempt = attempts.attempt
            and q.attempted_at = attempts.attempted_at
            and ${withoutIndex("q.state")} = 'delivering'
          -- Before the delivery, like the deletion of an endpoint.
          for update`)} as leased
        left join lateral ${indexLookup(`
          select e.disabled_at is null as is_enabled
          from webhook_endpoints e
          where e.id = attempts.endpoint_id`)} as endpoint on true
      ), released as (
        delete from webhook_queue q
        using owned
        where ${equalByIndex("q.delivery_id", "owned.delivery_id")}
          and owned.state in ('delivered', 'failed', 'cancelled')
      ), finished as (
        update webhook_deliveries d
        set state = owned.state, finished_at = now(), duration_ms = case owned.state when 'delivered' then owned.duration_ms end
        from owned
        where ${equalByIndex("d.id", "owned.delivery_id")}
          and owned.state in ('delivered', 'failed', 'cancelled')
          and d.state = 'pending'
      ), rescheduled as (
        update webhook_queue q
        set state = owned.state, due_at = now() + make_interval(secs => owned.delay_seconds),
          attempt = q.attempt - (owned.kind in ('not-made', 'given-back'))::integer
        from owned
        where ${equalByIndex("q.delivery_id", "owned.delivery_id")}
          and owned.state in ('pending', 'paused')
      ), health as materialized (
        select endpoint_id, bool_or(state = 'delivered') as has_worked, bool_or(has_failed and number > last_success) as is_failing,
          count(*) filter (where has_failed and number > last_success and state = 'failed') as failed_deliveries
        from (
          select owned.*, coalesce(max(number) filter (where state = 'delivered') over (partition by endpoint_id), 0) as last_success
          from owned
        ) as results
        group by endpoint_id
        order by endpoint_id
      ), noted as (
        update webhook_endpoints e
        set failing_since = case
              when health.has_worked then case when health.is_failing then now() end
              else coalesce(e.failing_since, now())
            end,
            failed_deliveries = case when health.has_worked then 0 else e.failed_deliveries end + health.failed_deliveries
        from health
        where ${equalByIndex("e.id", "health.endpoint_id")}
          and (
            health.has_worked and (e.failing_since is not null or e.failed_deliveries > 0)
            or health.is_failing and e.failing_since is null
            or health.failed_deliveries > 0
          )
      )
      select delivery_id as id, attempt, state
      from owned`,
    values: columnsOf(settled),
    changesSends: true,
  });
  const states = new Map(rows.map(({ id, attempt, state }) => [`${id} ${attempt}`, state]));
  return settled.map(({ deliveryId, attempt }) => states.get(`${deliveryId} ${attempt}`));
}

function columnsOf(settled: SettledAttempt[]): unknown[] {
  return [
    uuidArray(settled.map(({ deliveryId }) => deliveryId)),
    uuidArray(settled.map(({ accountId }) => accountId)),
    uuidArray(settled.map(({ endpointId }) => endpointId)),
    integerArray(settled.map(({ attempt }) => attempt)),
    textArray(settled.map(({ attemptedAt }) => attemptedAt)),
    integerArray(settled.map(({ durationMs = null }) => (durationMs === null ? null : Math.round(durationMs)))),
    smallintArray(settled.map(({ status = null }) => status)),
    textArray(
      settled.map(({ answer, failure }) =>
        answer === undefined ? null : storableText(answer, failure === undefined ? maxSuccessLength : maxAnswerLength),
      ),
    ),
    textArray(settled.map(({ failure }) => (failure === undefined ? null : storableText(failure)))),
    settled.map(({ delaySeconds = null }) => delaySeconds),
    textArray(settled.map(({ kind }) => kind)),
    unknownFailure,
    textArray(settled.map(({ url = null }) => url)),
    textArray(settled.map(({ signature = null }) => signature)),
  ];
}

export type SettleDelivery = (attempt: SettledAttempt) => Promise<SettledState>;

/** The same for one attempt. Results that arrive during a round trip share the next one. */
export function openDeliverySettlement(db: Queryable): SettleDelivery {
  return createBatch<SettledAttempt, SettledState>({
    run: (settled) => settleDeliveries(db, settled),
    maxItems: 200,
    maxBytes: 1_000_000,
    sizeOf: ({ answer = "", failure = "", url = "" }) => 400 + answer.length + failure.length + url.length,
  });
}
