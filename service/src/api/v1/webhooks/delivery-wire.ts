import { z } from "zod";
import {
  type Attempt,
  type AttemptDetails,
  type Delivery,
  type DeliveryDetails,
  deliveryStates,
} from "../../../webhooks/list-deliveries.ts";
import { headersOfRequest } from "../../../webhooks/notification-headers.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { beforeParameter, cursorPagination, limitParameter, sinceParameter, untilParameter } from "../list-wire.ts";
import { notificationType, utc } from "./webhook-wire.ts";

export const deliveryQuery = z.strictObject({
  state: z.enum(deliveryStates).optional().describe("Only deliveries in this state"),
  type: notificationType.optional().describe("Only deliveries of this type"),
  since: sinceParameter,
  until: untilParameter,
  send_id: z.guid().optional().describe("Only deliveries that are about this send"),
  limit: limitParameter,
  before: beforeParameter,
});

const anId = "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f";

/** Any other text is 404 like an unknown id. */
export const deliveryParams = z.object({
  id: z.string().describe("The `webhook_id`").meta({ format: "uuid", example: anId }),
  delivery_id: z.string().describe("The `delivery_id`").meta({ format: "uuid", example: anId }),
});

const attemptFields = {
  attempted_at: wireTimestamp,
  status: z.int().nullable().describe("HTTP status; null without an answer").meta({ example: 500 }),
  duration_ms: z.int().nullable().describe("Until the answer, or until the attempt was given up"),
  failure: z
    .string()
    .nullable()
    .describe("Why the attempt failed; null after a 2xx")
    .meta({ example: "The endpoint answered 500." }),
};

const fields = {
  delivery_id: z.uuid(),
  notification_id: z.uuid().describe("The `webhook-id` of its requests; a replay has the same"),
  type: notificationType,
  state: z
    .enum(deliveryStates)
    .describe(
      "`pending`: waits for an attempt. `delivering`: an attempt is being made. `paused`: the webhook is disabled. `delivered`: the " +
        "webhook answered 2xx. `failed`: all attempts failed. `cancelled`: the webhook was deleted",
    ),
  replay: z.boolean(),
  test: z.boolean(),
  created_at: wireTimestamp,
  finished_at: wireTimestamp.nullable().describe("When it was delivered, failed or cancelled"),
  duration_ms: z.int().nullable().describe("Of the attempt that succeeded"),
  attempt_count: z.int(),
  next_attempt_at: wireTimestamp.nullable().describe("Null unless `pending`"),
  send_id: z.uuid().nullable().describe("The send that it is about; null for other notifications"),
};

export const deliveryResponse = z
  .object({ ...fields, last_attempt: z.object(attemptFields).nullable() })
  .meta({ id: "WebhookDelivery", description: "One notification for one webhook" });

export const deliveryList = z
  .object({
    success: z.literal(true),
    data: z.object({
      deliveries: z.array(deliveryResponse).describe("Newest first"),
      pagination: cursorPagination,
    }),
  })
  .describe("Deliveries to the webhook");

export const deliveryDetails = z
  .object({
    ...fields,
    body: z.string().nullable().describe("What every attempt sends; null when it is no longer stored"),
    attempts: z
      .array(
        z.object({
          ...attemptFields,
          answer: z
            .string()
            .nullable()
            .describe("What the endpoint answered: up to 16 KiB of a failure, 1 KiB of a success")
            .meta({ example: "try later" }),
          request: z
            .object({
              url: z.string().meta({ example: "https://shop.example.com/hooks/postern" }),
              headers: z
                .record(z.string(), z.string())
                .describe("As sent. Without `webhook-signature` for the role viewer")
                .meta({ example: { "webhook-timestamp": "1763283600" } }),
            })
            .nullable()
            .describe("The POST with its headers; null when no request was made. Its body is `body`"),
        }),
      )
      .describe("Oldest first"),
  })
  .meta({ id: "WebhookDeliveryDetails", description: "One notification for one webhook, with all attempts" });

export const replayResponse = z
  .object({ delivery_id: z.uuid().describe("The new delivery of the same notification") })
  .describe("The notification is sent again");

export function toDelivery(delivery: Delivery): z.infer<typeof deliveryResponse> {
  const { lastAttempt } = delivery;
  return { ...fieldsOf(delivery), last_attempt: lastAttempt && attemptOf(lastAttempt) };
}

export const curlResponse = z
  .object({
    command: z
      .string()
      .describe(
        "For a POSIX shell with curl. It sends the body and the `webhook-id` of the delivery, with a new timestamp and signature",
      )
      .meta({ example: "curl --globoff 'https://shop.example.com/hooks/postern' …" }),
    timestamp: z.int().describe("The `webhook-timestamp` of the command, in seconds").meta({ example: 1763283600 }),
    expires_at: wireTimestamp.describe("Receivers refuse the signature from then on, five minutes after the timestamp"),
  })
  .meta({ id: "WebhookCurl", description: "A command that repeats the request of a delivery" });

/** A signature would let a viewer send a valid request to the endpoint. */
export function toDeliveryDetails(
  delivery: DeliveryDetails,
  { showsSignatures }: { showsSignatures: boolean },
): z.infer<typeof deliveryDetails> {
  const attempts = delivery.allAttempts.map((each) => ({
    ...attemptOf(each),
    answer: each.answer,
    request: requestOf(delivery, each, showsSignatures),
  }));
  return { ...fieldsOf(delivery), body: delivery.body, attempts };
}

function requestOf(
  { publicId, body }: DeliveryDetails,
  { url, signature, timestamp }: AttemptDetails,
  showsSignatures: boolean,
) {
  if (url === null || signature === null) return null;
  const sent = Object.entries(headersOfRequest({ url, signature, publicId, timestamp, body }));
  const headers = sent.filter(([name]) => showsSignatures || name !== "webhook-signature");
  return { url, headers: Object.fromEntries(headers) };
}

function fieldsOf(delivery: Delivery) {
  return {
    delivery_id: delivery.id,
    notification_id: delivery.publicId,
    type: delivery.type,
    state: delivery.state,
    replay: delivery.isReplay,
    test: delivery.isTest,
    created_at: delivery.createdAt,
    finished_at: delivery.finishedAt,
    duration_ms: delivery.durationMs,
    attempt_count: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt,
    send_id: delivery.sendId,
  };
}

function attemptOf({ at, status, durationMs, failure }: Attempt) {
  return { attempted_at: utc(at), status, duration_ms: durationMs, failure };
}
