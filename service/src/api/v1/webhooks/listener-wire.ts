import { z } from "zod";
import type { Listener } from "../../../webhooks/listeners/create-listener.ts";
import { maxTaken, type TakenNotification } from "../../../webhooks/listeners/take-notifications.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { notificationType, webhookMode, webhookTypes, wireMode } from "./webhook-wire.ts";

export const createListenerBody = z
  .strictObject({
    types: webhookTypes.optional().describe("What the listener is notified of; by default everything"),
    mode: webhookMode,
  })
  .meta({ example: { types: ["send.delivered", "send.bounced"] } });

const listensUntil = wireTimestamp.describe("When the listener ends, unless a take extends it");

export const listenerResponse = z
  .object({
    webhook_id: z.uuid().describe("For the paths of a take and of `DELETE /webhooks/{id}`"),
    types: z.array(notificationType),
    mode: wireMode.describe("It is notified of sends of this mode"),
    listens_until: listensUntil,
  })
  .meta({ id: "WebhookListener", description: "A webhook without a URL, for development" });

export const takeBody = z
  .strictObject({
    limit: z
      .int()
      .min(0)
      .max(maxTaken)
      .optional()
      .describe(
        `At most this many notifications, 0 to ${maxTaken}, by default ${maxTaken}. 0 only extends the listener`,
      )
      .meta({ example: maxTaken }),
  })
  .meta({ example: { limit: maxTaken } });

export const takenResponse = z
  .object({
    notifications: z
      .array(
        z.object({
          notification_id: z.uuid().describe("What a request to a webhook has as `webhook-id`"),
          type: notificationType,
          body: z.string().describe("What a request to a webhook has as its body").meta({
            example: '{"type":"send.bounced","timestamp":"2026-11-15T09:30:05.000Z","mode":"test","data":{}}',
          }),
        }),
      )
      .describe("Oldest first. No later take returns them again"),
    listens_until: listensUntil,
  })
  .meta({ id: "TakenNotifications", description: "The oldest notifications that waited for the listener" });

export function toListenerResponse(listener: Listener): z.infer<typeof listenerResponse> {
  const { id, types, mode, listensUntil: until } = listener;
  return { webhook_id: id, types, mode, listens_until: until };
}

export function toTakenResponse(taken: {
  notifications: TakenNotification[];
  listensUntil: string;
}): z.infer<typeof takenResponse> {
  return {
    notifications: taken.notifications.map(({ publicId, type, body }) => ({ notification_id: publicId, type, body })),
    listens_until: taken.listensUntil,
  };
}
