import { signNotification } from "./signature.ts";

interface SignedRequest {
  secrets: readonly Buffer[];
  /** What receivers see as `webhook-id`. */
  publicId: string;
  /** In whole seconds since 1970. */
  timestamp: number;
  body: string;
}

export type NotificationHeaders = Record<
  "content-type" | "user-agent" | "webhook-id" | "webhook-timestamp" | "webhook-signature",
  string
>;

/** The headers of the POST of a notification, with its signature. */
export function notificationHeaders({ secrets, publicId, timestamp, body }: SignedRequest): NotificationHeaders {
  return headersWith(signNotification(secrets, publicId, timestamp, body), { publicId, timestamp });
}

function headersWith(signature: string, { publicId, timestamp }: Pick<SignedRequest, "publicId" | "timestamp">) {
  return {
    "content-type": "application/json",
    "user-agent": "Postern-Webhooks/1",
    "webhook-id": publicId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  };
}

interface MadeRequest {
  url: string;
  signature: string;
  publicId: string;
  timestamp: number;
  /** Null when it is no longer stored. */
  body: string | null;
}

/** All headers of a request that was made, as request-over.ts sends them. */
export function headersOfRequest({ url, signature, body, ...rest }: MadeRequest): Record<string, string> {
  return {
    ...headersWith(signature, rest),
    host: new URL(url).host,
    ...(body !== null && { "content-length": String(Buffer.byteLength(body)) }),
    connection: "close",
  };
}
