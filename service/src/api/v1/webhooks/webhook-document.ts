import { notificationTypes } from "../../../webhooks/notification-types.ts";
import { exampleNotification, notificationSchemas, schemaName } from "./notification-wire.ts";

const header = (name: string, description: string, schema: object, example: string | number) => ({
  in: "header",
  name,
  required: true,
  description,
  schema,
  example,
});

const headers = [
  header(
    "webhook-id",
    "The id of the notification, the same in every attempt and replay and for every webhook",
    { type: "string", format: "uuid" },
    "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f",
  ),
  header("webhook-timestamp", "Seconds since 1970 at the attempt", { type: "integer" }, 1794821405),
  header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, once for each secret, separated by spaces",
    { type: "string" },
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

/** The field `webhooks` of the document: what Postern sends. */
export function documentedWebhooks(): Record<string, object> {
  const entries = notificationTypes.map((type) => {
    const { description = "" } = notificationSchemas[type].meta() ?? {};
    const media = { schema: { $ref: `#/components/schemas/${schemaName(type)}` }, example: exampleNotification(type) };
    const operation = {
      operationId: `on${schemaName(type)}`,
      summary: description,
      tags: ["Webhooks"],
      security: [],
      parameters: headers,
      requestBody: { required: true, content: { "application/json": media } },
      responses: {
        "2XX": { description: "Received. Postern ignores the body" },
        "410": { description: "Disables the webhook" },
        default: { description: "Failed: Postern tries again, 11 times in three days" },
      },
    };
    return [type, { post: operation }] as const;
  });
  return Object.fromEntries(entries);
}
