import type { Outcome } from "./outcome.ts";
import type { EventType } from "./planned-event.ts";

/** How SES reports the events of one mail. Rules change these options. */
export interface EventOptions {
  /** One event can name several recipients. SES does not document how it groups them. */
  recipients: "by-domain" | "together" | "one-by-one";
  copies: () => number;
  delaySeconds: number;
  lost: EventType[];
  deliveryBeforeSend: boolean;
  /** SES publishes the Send event before the caller gets its MessageId. */
  sendBeforeAnswer: boolean;
  /** The first entry that names the recipient, or no recipient at all, decides. */
  outcomes: { recipient: string | undefined; outcome: Outcome }[];
}

export const defaultEventOptions: EventOptions = {
  recipients: "by-domain",
  copies: () => 1,
  delaySeconds: 0,
  lost: [],
  deliveryBeforeSend: false,
  sendBeforeAnswer: false,
  outcomes: [],
};
