import { hash } from "node:crypto";
import { timeOfSendId } from "../sends/send-id.ts";

interface Happening {
  sendId: string;
  providerMessageId: string;
  type: string;
  /** In lower case. */
  recipient: string;
  feedbackId: string | undefined;
  at: string;
}

/**
 * Made of what happened, so that the same thing told twice is a conflict of ids: the layout of UUIDv7 with the provider's
 * time, not before that of the send, and a hash for the rest.
 */
export function eventIdOf({ sendId, providerMessageId, type, recipient, feedbackId, at }: Happening): string {
  const time = Math.max(timeOfSendId(sendId), Date.parse(at)).toString(16).padStart(12, "0");
  const what = hash("sha256", JSON.stringify([providerMessageId, type, recipient, feedbackId ?? at]));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${what.slice(0, 3)}-8${what.slice(3, 6)}-${what.slice(6, 18)}`;
}
