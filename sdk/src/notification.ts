import type { BounceExplanation, SendRecord } from "./api-types.ts";

/** The body of a webhook: one thing that happened. `type` selects the shape of `data`. */
export type WebhookNotification =
  | Envelope<"send.sent", Numbered & AboutSend>
  | Envelope<"send.delivered", OfEvent & { delivery: WebhookDelivery }>
  | Envelope<"send.delayed", Numbered & AboutRecipient & { delay: WebhookDelay }>
  | Envelope<"send.bounced", OfEvent & { bounce: WebhookBounce }>
  | Envelope<"send.complained", OfEvent & { complaint: WebhookComplaint }>
  | Envelope<"send.suppressed", OfEvent & { suppression: WebhookSuppression }>
  | Envelope<"send.failed", Numbered & AboutSend & { failure: { code: string; message: string } }>
  | Envelope<"domain.verified" | "domain.failed", { domain: { id: number; name: string } }>
  | Envelope<"suppression.added" | "suppression.removed", { suppression: WebhookSuppression & { email: string } }>
  | Envelope<"account.held" | "account.released", { hold: WebhookHold }>;

interface Envelope<Type extends string, Data> {
  type: Type;
  /** When it happened. */
  timestamp: string;
  mode: "live" | "test";
  data: Data;
}

interface AboutSend {
  send: {
    id: string;
    /** The status of the send after what happened. */
    status: SendRecord["status"];
    from: string;
    subject: string;
    idempotency_key: string;
    /** Null until the provider accepts the send. */
    provider_message_id: string | null;
    queued_at: string;
  };
}

interface AboutRecipient extends AboutSend {
  /** As the send spells it. */
  recipient: string;
}

interface Numbered {
  /** Counts the notifications of the send. Ignore a notification with a lower number than one that you have processed. */
  sequence: number;
}

/** The service can rebuild such a notification for a replay when it no longer has the original. */
type OfEvent = AboutRecipient & ((Numbered & { rebuilt?: never }) | { rebuilt: true; sequence?: never });

interface WebhookDelivery {
  /** The answer of the receiving server. */
  smtp_response: string | null;
  /** Milliseconds from the submission to the provider to the delivery. */
  duration_ms: number | null;
}

interface WebhookDelay {
  /** As the provider reports it. */
  type: string;
  /** The enhanced status code of the receiving server. */
  status: string | null;
  /** The words of the receiving server. */
  diagnostic: string | null;
  /** When the provider stops retrying, if it said so. */
  retried_until: string | null;
}

interface WebhookBounce {
  type: "Permanent" | "Transient";
  /** As the provider reports it. */
  subtype: string | null;
  /** The enhanced status code of the receiving server. */
  status: string | null;
  /** The words of the receiving server. */
  diagnostic: string | null;
  explanation: BounceExplanation | null;
  /** Whether the bounce suppressed the address. */
  suppressed: boolean;
}

interface WebhookComplaint {
  /** Null when the mailbox provider did not report it. */
  type: string | null;
  /** Whether the complaint suppressed the address. */
  suppressed: boolean;
}

interface WebhookSuppression {
  reason: "hard_bounce" | "complaint";
  since: string;
  /** The send that caused it; null if it is not known. */
  send_id: string | null;
}

interface WebhookHold {
  /** `guard`: the bounce or complaint rate of the account was too high. */
  by: "operator" | "guard";
  reason: string | null;
}
