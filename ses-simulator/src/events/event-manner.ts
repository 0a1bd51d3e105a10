import type { Outcome } from "./outcome.ts";
import type { EventType } from "./planned-event.ts";

/** How the events of a mail are told. A bad day is a manner far from this default one. */
export interface EventManner {
  /** One event may speak of several recipients; SES promises nothing about which. */
  recipients: "by-domain" | "together" | "one-by-one";
  copies: () => number;
  delaySeconds: number;
  lost: EventType[];
  deliveryBeforeSend: boolean;
  /** The Send event is out before the caller gets its MessageId. */
  sendBeforeAnswer: boolean;
  /** The first that names the recipient, or nobody in particular, decides. */
  outcomes: { recipient: string | undefined; outcome: Outcome }[];
}

export const usualManner: EventManner = {
  recipients: "by-domain",
  copies: () => 1,
  delaySeconds: 0,
  lost: [],
  deliveryBeforeSend: false,
  sendBeforeAnswer: false,
  outcomes: [],
};
