import { hash } from "node:crypto";
import { timeOfSendId } from "../sends/send-id.ts";

interface ReportedEvent {
  sendId: string;
  providerMessageId: string;
  type: string;
  /** In lower case. */
  recipient: string;
  feedbackId: string | undefined;
  at: string;
}

/** The time of the provider in milliseconds, but not before the send. */
export function eventTimeOf({ sendId, at }: Pick<ReportedEvent, "sendId" | "at">): number {
  return Math.max(timeOfSendId(sendId), Date.parse(at));
}

/**
 * An id computed from what happened, so that a second report of the same thing conflicts with the first: the layout of UUIDv7, with
 * the time of the event and a hash.
 */
export function eventIdOf({ sendId, providerMessageId, type, recipient, feedbackId, at }: ReportedEvent): string {
  const time = eventTimeOf({ sendId, at }).toString(16).padStart(12, "0");
  const what = hash("sha256", JSON.stringify([providerMessageId, type, recipient, feedbackId ?? at]));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${what.slice(0, 3)}-8${what.slice(3, 6)}-${what.slice(6, 18)}`;
}
