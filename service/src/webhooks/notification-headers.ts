import { signNotification } from "./signature.ts";

interface SignedRequest {
  secrets: readonly Buffer[];
  /** What receivers see as `webhook-id`. */
  publicId: string;
  /** In whole seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The headers of the POST of a notification, with its signature. */
export function notificationHeaders({ secrets, publicId, timestamp, body }: SignedRequest): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Postern-Webhooks/1",
    "webhook-id": publicId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signNotification(secrets, publicId, timestamp, body),
  };
}
