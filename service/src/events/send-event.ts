import type { Mode } from "../mode.ts";
import type { SuppressionReason } from "../suppression-reason.ts";
import type { SendExtras } from "./facts-of-send.ts";

export const eventTypes = ["Delivery", "Bounce", "Complaint", "Suppression"] as const;
export type EventType = (typeof eventTypes)[number];

/** One thing that happened to one recipient of a send. */
export interface SendEvent {
  id: string;
  sendId: string;
  type: EventType;
  at: string;
  /** As the caller wrote it in the send; the table stores the form in which addresses are compared. */
  recipient: string;
  bounceType: "Permanent" | "Transient" | null;
  bounceSubtype: string | null;
  complaintType: string | null;
  suppressionReason: SuppressionReason | null;
  suppressedAt: string | null;
  /** The enhanced status code of the receiving server. */
  replyStatus: string | null;
  /** The words of the receiving server. */
  reply: string | null;
  reportingMta: string | null;
  /** From the submission to the delivery. */
  durationMs: number | null;
  mode: Mode;
}

/** With what the caller attached to the send. */
export type ListedEvent = SendEvent & SendExtras;

export interface EventFilter {
  type: EventType | undefined;
  sendId: string | undefined;
  /** In lower case. */
  recipient: string | undefined;
  before: string | undefined;
  since: string | undefined;
  until: string | undefined;
  limit: number;
}
