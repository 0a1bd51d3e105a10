import { z } from "zod";
import type { Accepted } from "../../../accept/accept-send.ts";
import type { AppError } from "../../../errors.ts";
import { errorCatalogue } from "../../http/error-catalogue.ts";
import { errorBody } from "../../http/error-response.ts";
import { wireError } from "../../http/wire-format.ts";
import { idempotencyKeyText, sendBody } from "./send-request-wire.ts";
import { acceptedResponse, toAcceptedResponse } from "./send-response-wire.ts";

export const maxMails = 100;

/** `/99` follows it. */
const maxBatchKey = 252;

/** The document only: parse-batch-body.ts validates a mail with its defaults as POST /send does. */
export const batchBody = z
  .strictObject({
    defaults: sendBody
      .omit({ idempotency_key: true })
      .partial()
      .nullish()
      .describe(
        "Fields of every mail that does not set them itself. A field of a mail replaces the default as a whole; null removes it",
      ),
    mails: z
      .array(sendBody.partial())
      .min(1)
      .max(maxMails)
      .describe(
        "1 to 100 mails. With its defaults, each has the fields of `POST /api/v1/send`. Written out with their defaults, all mails " +
          "together have at most 8 MiB",
      ),
  })
  .meta({
    id: "BatchRequest",
    description: "Several emails. A test key can send the example as it stands",
    example: {
      defaults: { from: "Acme <hello@sandbox.test>", subject: "Your receipt" },
      mails: [
        { to: ["delivered@sandbox.test"], text: "Thank you for order 1001." },
        { to: ["bounced@sandbox.test"], text: "Thank you for order 1002.", idempotency_key: "receipt-of-order-1002" },
      ],
    },
  });

export const batchKeyText = idempotencyKeyText.max(maxBatchKey, {
  error: `must be 1 to ${maxBatchKey} printable ASCII characters`,
});

export const batchHeaders = z.object({
  "Idempotency-Key": batchKeyText
    .optional()
    .describe("A mail without an `idempotency_key` of its own gets this key, a slash and its index in `mails`, from 0")
    .meta({ example: "receipts-of-november" }),
});

/** Each has the status that `POST /api/v1/send` would answer with. */
const refusedStatuses = [400, 401, 409, 422, 429, 503] as const;
type RefusedStatus = (typeof refusedStatuses)[number];

const verdict = z
  .discriminatedUnion("status", [
    z.object({ status: z.literal(202), send: acceptedResponse }),
    z.object({
      status: z.literal([...refusedStatuses]),
      error: wireError.shape.error.extend({
        retry_after_seconds: z
          .int()
          .optional()
          .describe("Present where `POST /api/v1/send` has the header `Retry-After`"),
      }),
    }),
  ])
  .meta({
    id: "BatchVerdict",
    description: "`send` with status 202; otherwise `error`, with the status that `POST /api/v1/send` would have",
  });

const counts = {
  accepted: z.int().describe("How many mails were accepted, repeats included").meta({ example: 2 }),
  refused: z.int().describe("How many were not").meta({ example: 0 }),
  verdicts: z.array(verdict).describe("One for each mail, in the order of `mails`"),
};

export const batchResponse = z
  .object(counts)
  .meta({ id: "BatchVerdicts", description: "At least one mail was accepted; the verdict of each mail" });

export const refusedBatch = wireError
  .extend({
    accepted: counts.accepted.optional().describe("0; present with BATCH_REFUSED"),
    refused: counts.refused.optional().describe("Present with BATCH_REFUSED"),
    verdicts: counts.verdicts
      .optional()
      .describe("Present with BATCH_REFUSED: one for each mail, in the order of `mails`"),
  })
  .meta({
    id: "RefusedBatch",
    description:
      "`VALIDATION_ERROR`: the batch as a whole is not valid. `BATCH_REFUSED`: no mail was accepted; `verdicts` says why",
  });

export type Verdict = z.input<typeof verdict>;

export function toVerdict(
  outcome: Accepted | AppError,
  { requestId, publicUrl }: { requestId: string; publicUrl: string },
): Verdict {
  if (!(outcome instanceof Error)) return { status: 202, send: toAcceptedResponse(outcome) };
  const { error } = errorBody(outcome, requestId, publicUrl);
  const { retryAfterSeconds } = outcome;
  return {
    // refusalOf makes no error with another status.
    status: errorCatalogue[outcome.code].status as RefusedStatus,
    error: {
      ...error,
      code: outcome.code,
      ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    },
  };
}
