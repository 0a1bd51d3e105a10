import type { BounceExplanation, SendRecord } from "./api-types.ts";

/** The body of a webhook: one thing that happened. `type` selects the shape of `data`. */
export type Notification =
  | Envelope<"send.sent", OfSend>
  | Envelope<"send.delivered", OfRecipient & { delivery: Delivery }>
  | Envelope<"send.delayed", OfRecipient & { delay: Delay }>
  | Envelope<"send.bounced", OfRecipient & { bounce: Bounce }>
  | Envelope<"send.complained", OfRecipient & { complaint: Complaint }>
  | Envelope<"send.suppressed", OfRecipient & { suppression: SuppressedSince }>
  | Envelope<"send.failed", OfSend & { failure: { code: string; message: string } }>
  | Envelope<"domain.verified" | "domain.failed", { domain: { id: number; name: string } }>
  | Envelope<"suppression.added" | "suppression.removed", { suppression: SuppressedSince & { email: string } }>
  | Envelope<"account.held" | "account.released", { account: Hold }>;

interface Envelope<Type extends string, Data> {
  type: Type;
  /** When it happened. */
  timestamp: string;
  mode: "live" | "test";
  data: Data & Marks;
}

interface Marks {
  /** Only on an example that was requested to test the endpoint. */
  test?: true | undefined;
  /** Only on a replay whose first body is no longer stored: it is made again from the event, with the same id. */
  rebuilt?: true | undefined;
}

interface OfSend {
  send: {
    id: string;
    /** Of the send when this happened. */
    status: SendRecord["status"];
    from: string;
    subject: string;
    /** Null when the account had no webhook at the time of the request. */
    idempotency_key: string | null;
    /** Null until the provider accepts the send. */
    provider_message_id: string | null;
    queued_at: string;
  };
  /** Counts the notifications of the send, which can arrive in any order: the highest one has the newest status. Absent when rebuilt. */
  sequence?: number | undefined;
}

interface OfRecipient extends OfSend {
  /** As the send spells it. */
  recipient: string;
}

interface Delivery {
  /** The answer of the receiving server. */
  smtp_response: string | null;
  /** From the submission to the provider to the delivery. */
  duration_ms: number | null;
}

interface Reply {
  /** The enhanced status code of the receiving server. */
  status: string | null;
  /** The words of the receiving server. */
  diagnostic: string | null;
}

interface Delay extends Reply {
  /** As the provider reports it. */
  type: string;
  /** When the provider stops trying, if it says so. */
  expires_at: string | null;
}

interface Bounce extends Reply {
  type: "Permanent" | "Transient";
  /** As the provider reports it. */
  subtype: string | null;
  explanation: BounceExplanation;
  /** Whether the address is on the suppression list because of it. */
  suppressed: boolean;
}

interface Complaint {
  /** Null when the mailbox provider did not report it. */
  type: string | null;
  /** Whether the address is on the suppression list because of it. */
  suppressed: boolean;
}

interface SuppressedSince {
  reason: "hard_bounce" | "complaint";
  since: string;
  /** The send that caused it; null if it is not known. */
  send_id: string | null;
}

interface Hold {
  /** `guard`: the bounce or complaint rate of the account was too high. */
  held_by: "operator" | "guard";
  /** Why the guard holds or held the mail; null for the operator. */
  reason: string | null;
}
