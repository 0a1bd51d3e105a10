import { z } from "zod";
import { type Endpoint, maxWaiting } from "../../../webhooks/endpoint.ts";
import { notificationTypes } from "../../../webhooks/notification-types.ts";
import { maxOverlapSeconds } from "../../../webhooks/rotate-secret.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { readingModeParameter } from "../list-wire.ts";

export const notificationType = z.enum(notificationTypes).meta({ example: "send.bounced" });

const url = z
  .string()
  .min(1)
  .max(2000)
  .describe("Where notifications are sent: https, without user name and password")
  .meta({ example: "https://shop.example.com/hooks/postern" });

const description = z
  .string()
  .max(500)
  .refine((text) => !/\p{Cc}/u.test(text), { error: "must not contain control characters" })
  .nullish()
  .describe("For people, up to 500 characters")
  .meta({ example: "order service" });

export const webhookTypes = z
  .array(notificationType)
  .min(1)
  .refine((given) => new Set(given).size === given.length, { error: "must name each type once" })
  .describe("What the webhook is notified of")
  .meta({ example: ["send.delivered", "send.bounced"] });

export const wireMode = z.enum(["live", "test"]);

/** Of a new webhook. */
export const webhookMode = wireMode
  .optional()
  .describe(
    "Notifications of sends of this mode. For a JWT; default `live`. An API key has its own mode; another one is 422",
  );

export const createWebhookBody = z
  .strictObject({
    url,
    description,
    types: webhookTypes,
    mode: webhookMode,
  })
  .meta({ example: { url: "https://shop.example.com/hooks/postern", types: ["send.delivered", "send.bounced"] } });

export const changeWebhookBody = z
  .strictObject({
    url: url.optional(),
    description,
    types: webhookTypes.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe("False pauses its deliveries. True sends them now, and forgets earlier failures"),
  })
  .refine((change) => Object.keys(change).length > 0, { error: "must name something to change" })
  .meta({ example: { enabled: true } });

export const rotateBody = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(maxOverlapSeconds)
      .optional()
      .describe("How long the earlier secrets still sign, 0 to 604800, by default 86400. 0 ends them now")
      .meta({ example: 3600 }),
  })
  .meta({ example: { overlap_seconds: 3600 } });

export const testBody = z.strictObject({ type: notificationType }).meta({ example: { type: "send.bounced" } });

export const webhookQuery = z.strictObject({ mode: readingModeParameter });

const fields = {
  webhook_id: z.uuid(),
  url: z.string().meta({ example: "https://shop.example.com/hooks/postern" }),
  description: z.string().nullable().meta({ example: "order service" }),
  types: z.array(notificationType),
  mode: wireMode.describe("It is notified of sends of this mode"),
  status: z
    .enum(["enabled", "failing", "disabled"])
    .describe("`failing`: the last attempt failed, and none succeeded since. `disabled`: nothing is sent"),
  disabled_reason: z
    .enum(["user", "gone", "failing"])
    .nullable()
    .describe(
      "`user`: by a request. `gone`: it answered 410. `failing`: no attempt succeeded for 5 days. Null unless disabled",
    ),
  failing_since: wireTimestamp.nullable().describe("The first failed attempt after the last success"),
  created_at: wireTimestamp,
  success_rate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("Of deliveries of the last 24 hours that ended, at most the newest 1,000; null without one")
    .meta({ example: 0.998 }),
  p95_ms: z
    .int()
    .nullable()
    .describe("95 of 100 of these deliveries were answered within this time")
    .meta({ example: 180 }),
  measured_deliveries: z
    .int()
    .describe("How many deliveries `success_rate` and `p95_ms` are of")
    .meta({ example: 1000 }),
  waiting_deliveries: z
    .int()
    .describe(`How many deliveries wait for an attempt, counted up to ${maxWaiting.toLocaleString("en")}`)
    .meta({ example: 0 }),
  secrets: z
    .array(z.object({ created_at: wireTimestamp, expires_at: wireTimestamp.nullable() }))
    .describe("The secrets that sign now, newest first, without their values. `expires_at` is null for the newest"),
};

export const webhookResponse = z
  .object(fields)
  .meta({ id: "Webhook", description: "A URL that the account is notified at" });

const secret = z
  .string()
  .describe("Verifies the signatures. No other response contains it")
  .meta({ example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=" });

export const createdWebhookResponse = z
  .object({ ...fields, secret })
  .meta({ id: "CreatedWebhook", description: "The new webhook with its secret" });

export const rotatedWebhookResponse = z
  .object({
    ...fields,
    secret,
    previous_secrets_end_at: wireTimestamp.describe("Earlier secrets have ended at this time"),
  })
  .meta({ id: "RotatedWebhook", description: "The webhook with its new secret" });

export const webhookList = z.array(webhookResponse).describe("The webhooks of the account, oldest first; at most 10");

export const deletedWebhookResponse = z
  .object({
    message: z.string().meta({ example: "The webhook is deleted. What was not delivered to it is cancelled." }),
  })
  .describe("The webhook is deleted");

export const testResponse = z
  .object({
    delivery_id: z.uuid(),
    notification_id: z.uuid().describe("The `webhook-id` of the request"),
  })
  .describe("The example is on its way");

export function toWebhookResponse(endpoint: Endpoint): z.infer<typeof webhookResponse> {
  return {
    webhook_id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    types: endpoint.types,
    mode: endpoint.mode,
    status: statusOf(endpoint),
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince,
    created_at: endpoint.createdAt,
    success_rate: endpoint.successRate,
    p95_ms: endpoint.p95Ms,
    measured_deliveries: endpoint.measured,
    waiting_deliveries: endpoint.waiting,
    secrets: endpoint.secrets.map(({ createdAt, expiresAt }) => ({
      created_at: utc(createdAt),
      expires_at: expiresAt && utc(expiresAt),
    })),
  };
}

function statusOf({ disabledAt, failingSince }: Endpoint) {
  if (disabledAt !== null) return "disabled" as const;
  return failingSince === null ? ("enabled" as const) : ("failing" as const);
}

/** Times inside JSON of PostgreSQL name their zone as an offset. */
export function utc(time: string): string {
  return new Date(time).toISOString();
}
