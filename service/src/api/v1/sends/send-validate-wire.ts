import { z } from "zod";
import type { QuotaState } from "../../../accept/quota-states.ts";
import type { PayloadValidation, Validation } from "../../../accept/validate-send.ts";
import type { FieldProblem } from "../../../errors.ts";
import { recipientsOf, type SendRequest } from "../../../sends/send-request.ts";
import { suppressionReasons } from "../../../suppression-reason.ts";
import { fieldProblem, wireTimestamp } from "../../http/wire-format.ts";
import { expiredOnArrival } from "./mail-times-wire.ts";

const recipientValidation = z.object({
  email: z.string().describe("As written in the request; an address in several lists appears once"),
  suppressed: z.boolean(),
  reason: z.enum(suppressionReasons).optional(),
  suppressed_at: wireTimestamp.optional(),
});

export const validationResponse = z
  .object({
    valid: z.boolean().describe("Whether `POST /api/v1/send` would return 202 for the same request now"),
    would_answer: z.object({
      status: z.union([z.literal(202), z.literal(400), z.literal(409), z.literal(422), z.literal(429)]),
      code: z
        .enum(["DOMAIN_NOT_VERIFIED", "CONFLICT", "VALIDATION_ERROR", "RATE_LIMIT_EXCEEDED", "QUOTA_EXCEEDED"])
        .nullable(),
    }),
    problems: z
      .array(fieldProblem)
      .describe("Every problem of the payload; the fields from `domain` to `idempotency` are null when there is one"),
    domain: z.object({ name: z.string(), verified: z.boolean() }).nullable().describe("The domain of `from`"),
    recipients: z.array(recipientValidation).nullable().describe("The recipients in `to`, `cc` and `bcc`, each once"),
    would_be_suppressed: z.boolean().nullable().describe("True when every recipient is suppressed"),
    sizes: z
      .object({
        recipients: z.int(),
        subject_characters: z.int(),
        html_bytes: z.int(),
        text_bytes: z.int(),
      })
      .nullable(),
    idempotency: z
      .object({
        state: z.enum(["new", "repeat", "conflict"]),
        id: z
          .uuid()
          .optional()
          .describe("The send that used the key; absent for a conflict seen by a key with a `domain`"),
        differing_fields: z
          .array(z.string())
          .optional()
          .describe(
            "Absent when the API generated the key, because only the payload as a whole can be compared then, and for a key with a `domain`",
          ),
      })
      .nullable()
      .describe("Null when the request has no idempotency key"),
    rate_limits: z
      .array(z.object({ window_seconds: z.int(), limit: z.int(), remaining: z.int() }))
      .describe("What remains in each window; this request does not count"),
    quotas: z
      .array(
        z.object({
          name: z.enum(["recipients_per_day", "queued_recipients", "stored_content_bytes"]),
          limit: z.int(),
          remaining: z.int(),
          trial: z.boolean().describe("The account is on trial, and this is its limit"),
        }),
      )
      .describe("What remains of each quota that the operator set for this account and mode, as of a few seconds ago"),
  })
  .meta({ id: "SendValidation", description: "The result that sending would have" });

type ValidationResponse = z.input<typeof validationResponse>;
const windowSeconds = [1, 10, 60];

interface ValidatedSend {
  request: SendRequest | undefined;
  problems: FieldProblem[];
  validation: Validation;
  quotas: QuotaState[];
  /** The quota that the send would exceed. */
  exceeded: QuotaState | undefined;
  /** The key is for one domain, and must learn nothing about sends of others. */
  isForDomain: boolean;
}

export function toValidationResponse(validated: ValidatedSend): ValidationResponse {
  const { request, validation, quotas, isForDomain } = validated;
  const problems = [...validated.problems, ...(isExpired(validated) ? [expiredOnArrival] : [])];
  const { usage, payload } = validation;
  const wouldAnswer = responseTo(validated);
  return {
    valid: wouldAnswer.status === 202,
    would_answer: wouldAnswer,
    problems,
    ...(request === undefined || payload === undefined ? notValidated : describePayload(request, payload, isForDomain)),
    rate_limits: windowSeconds.map((seconds, window) => ({
      window_seconds: seconds,
      limit: usage.limits[window] ?? 0,
      remaining: usage.remaining[window] ?? 0,
    })),
    quotas: quotas.map(({ name, limit, used, isTrial }) => {
      return { name, limit, remaining: Math.max(0, limit - used), trial: isTrial };
    }),
  };
}

/** Follows the order of the checks of `POST /api/v1/send`. */
function responseTo(validated: ValidatedSend): ValidationResponse["would_answer"] {
  const { problems, validation, exceeded } = validated;
  const { usage, payload } = validation;
  if (usage.remaining.some((left) => left <= 0)) return { status: 429, code: "RATE_LIMIT_EXCEEDED" };
  if (problems.length > 0 || payload === undefined) return { status: 422, code: "VALIDATION_ERROR" };
  if (payload.idempotency.state === "conflict") return { status: 409, code: "CONFLICT" };
  if (payload.idempotency.state === "repeat") return { status: 202, code: null };
  if (isExpired(validated)) return { status: 422, code: "VALIDATION_ERROR" };
  if (!payload.isDomainVerified) return { status: 400, code: "DOMAIN_NOT_VERIFIED" };
  return exceeded === undefined ? { status: 202, code: null } : { status: 429, code: "QUOTA_EXCEEDED" };
}

/** A repeat gets its first answer, also after its expiry. */
function isExpired({ request, validation: { payload } }: ValidatedSend): boolean {
  const expiresAt = request?.expiresAt;
  return payload?.idempotency.state === "new" && expiresAt !== undefined && expiresAt.getTime() <= Date.now();
}

const notValidated = { domain: null, recipients: null, would_be_suppressed: null, sizes: null, idempotency: null };

function describePayload(
  request: SendRequest,
  { isDomainVerified, recipients, idempotency }: PayloadValidation,
  isForDomain: boolean,
) {
  return {
    domain: { name: request.from.address.domain, verified: isDomainVerified },
    recipients: recipients.map(toRecipientValidation),
    would_be_suppressed: recipients.every(({ suppression }) => suppression !== undefined),
    sizes: {
      recipients: recipientsOf(request).length,
      subject_characters: [...request.subject].length,
      html_bytes: Buffer.byteLength(request.html ?? ""),
      text_bytes: Buffer.byteLength(request.text ?? ""),
    },
    idempotency: request.idempotencyKey === undefined ? null : toIdempotency(idempotency, isForDomain),
  };
}

function toRecipientValidation({ given, suppression }: PayloadValidation["recipients"][number]) {
  if (suppression === undefined) return { email: given, suppressed: false };
  return { email: given, suppressed: true, reason: suppression.reason, suppressed_at: suppression.suppressedAt };
}

function toIdempotency(idempotency: PayloadValidation["idempotency"], isForDomain: boolean) {
  switch (idempotency.state) {
    case "new":
      return { state: "new" as const };
    case "repeat":
      return { state: "repeat" as const, id: idempotency.id };
    case "conflict":
      if (isForDomain) return { state: "conflict" as const };
      return {
        state: "conflict" as const,
        id: idempotency.id,
        ...(idempotency.fields === "unknown" ? {} : { differing_fields: idempotency.fields }),
      };
  }
}
