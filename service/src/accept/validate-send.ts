import type { KeyObject } from "node:crypto";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { isSendId } from "../sends/send-id.ts";
import { recipientsOf, type SendRequest } from "../sends/send-request.ts";
import type { SuppressionReason } from "../suppression-reason.ts";
import type { RateUsage } from "./accept-batch.ts";
import {
  compareWithOriginal,
  type DifferingFields,
  fingerprintOf,
  idempotencyHash,
  payloadHashOf,
} from "./fingerprint.ts";
import { remainingNow } from "./rate-limit.ts";

export interface Validation {
  /** Before this request, because validation is not counted. */
  usage: RateUsage;
  /** Undefined when the payload is invalid. */
  payload: PayloadValidation | undefined;
}

export interface PayloadValidation {
  isDomainVerified: boolean;
  /** In the order of the payload. */
  recipients: ValidatedRecipient[];
  idempotency:
    | { state: "new" }
    | { state: "repeat"; id: string }
    | { state: "conflict"; id: string; fields: DifferingFields };
}

export interface ValidatedRecipient {
  given: string;
  suppression: ListedAs | undefined;
}

interface ListedAs {
  reason: SuppressionReason;
  suppressedAt: string;
}

interface ValidationRow {
  limits: number[];
  remaining: number[];
  isDomainVerified: boolean;
  suppressions: (ListedAs & { email: string })[] | null;
  sendId: string | null;
  fingerprint: Buffer | null;
  payloadHash: Buffer | null;
}

/** POST /send/validate: the decisions of `accept-statement.ts` in one snapshot, without its writes. A test sends what was validated and compares. */
export async function validateSend(
  { db, fingerprintKey }: { db: AccountDatabase; fingerprintKey: KeyObject },
  mode: Mode,
  request: SendRequest | undefined,
): Promise<Validation> {
  const recipients = request === undefined ? [] : recipientsOf(request);
  const key = request?.idempotencyKey;
  const [row] = await db.query<ValidationRow>({
    name: "validate-send",
    isPlannedEachTime: true,
    text: `
      select limits.each as limits, ${remainingNow} as remaining,
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
        coalesce(i.send_id, generated.id) as "sendId", i.fingerprint, generated.payload_hash as "payloadHash"
      from accounts a
      cross join lateral (
        select array[a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute] as each
      ) as limits
      left join rate_windows w on w.account_id = a.id and w.mode = $2
      left join idempotency_keys i on i.key_hash = $5 and i.account_id = a.id
      left join sends generated on generated.id = $6 and generated.account_id = a.id and generated.mode = $2
        and generated.payload_hash is not null
      where a.id = $1`,
    values: [
      db.accountId,
      mode,
      request?.from.address.domain ?? null,
      recipients.map((address) => address.key),
      key === undefined ? null : idempotencyHash(fingerprintKey, db.accountId, mode, key).toString("hex"),
      key === undefined || !isSendId(key) ? null : key,
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
      idempotency: compare(row, fingerprintKey, request),
    },
  };
}

function suppressionOf(listed: ListedAs | undefined): ListedAs | undefined {
  if (listed === undefined) return undefined;
  return { reason: listed.reason, suppressedAt: new Date(listed.suppressedAt).toISOString() };
}

function compare(
  { sendId, fingerprint, payloadHash }: ValidationRow,
  key: KeyObject,
  { given }: SendRequest,
): PayloadValidation["idempotency"] {
  if (sendId === null) return { state: "new" };
  const ours = fingerprintOf(key, given);
  const original = fingerprint === null ? { payloadHash: payloadHash ?? Buffer.alloc(0) } : { fingerprint };
  const fields = compareWithOriginal(original, { fingerprint: ours, payloadHash: payloadHashOf(key, ours) });
  return fields === undefined ? { state: "repeat", id: sendId } : { state: "conflict", id: sendId, fields };
}
