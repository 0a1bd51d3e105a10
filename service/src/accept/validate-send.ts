import type { KeyObject } from "node:crypto";
import type { AccountDatabase } from "../db/database.ts";
import { type Mode, type PayloadField, recipientsOf, type SendRequest } from "../sends/send-request.ts";
import type { RateUsage } from "./accept-batch.ts";
import { differingFields, fingerprintOf, idempotencyHash } from "./fingerprint.ts";

export interface Validation {
  /** Before this request, which is not counted. */
  usage: RateUsage;
  /** Undefined without a payload that can be sent. */
  payload: PayloadValidation | undefined;
}

export interface PayloadValidation {
  isDomainVerified: boolean;
  /** In the order of the payload. */
  recipients: ValidatedRecipient[];
  idempotency:
    | { state: "new" }
    | { state: "repeat"; id: string }
    | { state: "conflict"; id: string; fields: PayloadField[] };
}

export interface ValidatedRecipient {
  given: string;
  suppression: ListedAs | undefined;
}

interface ListedAs {
  reason: "hard_bounce" | "complaint";
  suppressedAt: string;
}

interface ValidationRow {
  limits: number[];
  remaining: number[];
  isDomainVerified: boolean;
  suppressions: (ListedAs & { email: string })[] | null;
  sendId: string | null;
  fingerprint: Buffer | null;
}

/**
 * Asks all that accepting asks, of one moment, and changes nothing: `accept-statement.ts` without its writes. A test sends
 * what was judged and compares.
 */
export async function validateSend(
  { db, fingerprintKey }: { db: AccountDatabase; fingerprintKey: KeyObject },
  mode: Mode,
  request: SendRequest | undefined,
): Promise<Validation> {
  const recipients = request === undefined ? [] : recipientsOf(request);
  const key = request?.idempotencyKey;
  const [row] = await db.query<ValidationRow>({
    name: "validate-send",
    text: `
      select limits.each as limits, ${remaining} as remaining,
        coalesce($2 = 'test' and $3 = 'sandbox.test', false) or coalesce((
          select true
          from domains d
          where d.account_id = $1
            and d.domain_name = $3
            and d.verification_status = 'Success'
        ), false) as "isDomainVerified",
        (
          select json_agg(json_build_object('email', s.email, 'reason', s.reason, 'suppressedAt', s.suppressed_at))
          from suppressions s
          where s.account_id = $1
            and s.mode = $2
            and s.email = any ($4)
        ) as suppressions,
        i.send_id as "sendId", i.fingerprint
      from accounts a
      cross join lateral (
        select array[a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute] as each
      ) as limits
      left join rate_windows w on w.account_id = a.id and w.mode = $2
      left join idempotency_keys i on i.key_hash = $5 and i.account_id = a.id
      where a.id = $1`,
    values: [
      db.accountId,
      mode,
      request?.from.address.domain ?? null,
      recipients.map((address) => address.key),
      key === undefined ? null : idempotencyHash(fingerprintKey, db.accountId, mode, key).toString("hex"),
    ],
  });
  if (row === undefined) throw new Error("a credential names an account that does not exist");
  const usage = { limits: row.limits, remaining: row.remaining.map((left) => Math.max(0, left)) };
  if (request === undefined) return { usage, payload: undefined };
  const listed = new Map((row.suppressions ?? []).map((suppression) => [suppression.email, suppression]));
  return {
    usage,
    payload: {
      isDomainVerified: row.isDomainVerified,
      recipients: recipients.map(({ given, key: email }) => ({ given, suppression: suppressionOf(listed.get(email)) })),
      idempotency: compare(row, () => fingerprintOf(fingerprintKey, request.given)),
    },
  };
}

/** What each window has left, by the arithmetic of `accept-statement.ts`. */
const remaining = `array(
          select window_limit - coalesce((
            select coalesce(w.totals[cardinality(w.totals)], w.forgotten)
              - coalesce(w.totals[width_bucket(greatest(t, w.times[cardinality(w.times)]) - length, w.times)], w.forgotten)
            from (select clock_timestamp() as t offset 0) as clock
            where w.times[cardinality(w.times)] < t + interval '10 s'
          ), 0)
          from unnest(limits.each, array[interval '1 s', interval '10 s', interval '60 s']) with ordinality
            as windows (window_limit, length, place)
          order by place
        )::integer[]`;

function suppressionOf(listed: ListedAs | undefined): ListedAs | undefined {
  if (listed === undefined) return undefined;
  return { reason: listed.reason, suppressedAt: new Date(listed.suppressedAt).toISOString() };
}

function compare({ sendId, fingerprint }: ValidationRow, ours: () => Buffer): PayloadValidation["idempotency"] {
  if (sendId === null || fingerprint === null) return { state: "new" };
  const fields = differingFields(fingerprint, ours());
  return fields.length === 0 ? { state: "repeat", id: sendId } : { state: "conflict", id: sendId, fields };
}
