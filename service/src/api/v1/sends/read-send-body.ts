import { AppError } from "../../../errors.ts";
import { parseJsonBody } from "../../http/json-body.ts";
import { type ParsedSend, parseSendRequest, type SendLimits } from "./send-request-wire.ts";

const mebibyte = 1024 * 1024;
/** Everything except the content of attachments. */
export const maxPlainBytes = 8 * mebibyte;

/** Base64 makes four bytes out of three. Whole MiB, for the message. */
export function maxSendBytes({ maxAttachmentBytes }: SendLimits): number {
  return maxPlainBytes + Math.ceil(((maxAttachmentBytes / 3) * 4) / mebibyte) * mebibyte;
}

/** From the bytes of the body to a request that can be accepted, or to all its problems. Throws an AppError for a body that is no JSON. */
export function readSendBody(bytes: Buffer, headerKey: string | undefined, limits: SendLimits): ParsedSend {
  const payload = parseJsonBody(bytes);
  requirePlainSize(bytes.length, payload);
  return parseSendRequest(payload, headerKey, limits);
}

/** Without attachments the limit is what it was before there were any. */
function requirePlainSize(bytes: number, payload: unknown): void {
  if (bytes <= maxPlainBytes) return;
  const { attachments } = (payload ?? {}) as { attachments?: unknown };
  const contents = Array.isArray(attachments)
    ? attachments.map((one: { content?: unknown } | null) => one?.content)
    : [];
  const encoded = contents.reduce((sum: number, text) => sum + (typeof text === "string" ? text.length : 0), 0);
  if (bytes - encoded <= maxPlainBytes) return;
  const message = "The body is larger than 8 MiB without attachments, the limit of this path. Send a smaller body.";
  throw new AppError("PAYLOAD_TOO_LARGE", message);
}
