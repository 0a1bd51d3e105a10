import type { IncomingHttpHeaders } from "node:http";

/**
 * One report of the provider about a mail. The provider delivers each report at least once, in any order, and for one
 * recipient or for several together.
 */
export type Feedback =
  | (AboutMail & { kind: "send" })
  | (AboutMail & { kind: "delivery"; durationMs?: number | undefined })
  | (AboutMail & { kind: "bounce"; bounce: Bounce })
  /** `isSpam` is false when the recipient marked the mail as "not spam"; such a complaint suppresses nobody. */
  | (AboutMail & { kind: "complaint"; complaintType: string | undefined; isSpam: boolean })
  /** The provider accepted the mail and then decided not to send it. */
  | (AboutMail & { kind: "reject"; reason: string })
  /** The provider still retries; the outcome does not change. */
  | (AboutMail & { kind: "delay"; delayType?: string | undefined; expiresAt?: string | undefined });

export interface AboutMail {
  providerMessageId: string;
  /** The tags of the submission. Undefined when the report has none, or not in the form that Postern writes. */
  sendId: string | undefined;
  attempt: number | undefined;
  /** When the provider accepted the mail: ISO 8601 in UTC. */
  submittedAt: string;
  /** When the reported event happened: ISO 8601 in UTC. */
  at: string;
  /**
   * Bare addresses in the case that the provider reports. A bounce may name an address that the mail was forwarded to.
   */
  recipients: string[];
  /** What the receiving server said about each recipient, in the order of `recipients`. */
  replies?: ServerReply[] | undefined;
  /** The mail server that reported it. */
  reportingMta?: string | undefined;
  /** All copies of one bounce or complaint have the same id. */
  feedbackId: string | undefined;
}

/** Foreign text: without control characters, and cut after 1,000 characters. */
export interface ServerReply {
  /** The enhanced status code, such as 5.1.1. */
  status?: string | undefined;
  text?: string | undefined;
}

/** A bounce that the provider reports as undetermined is Transient, because it is no evidence against the address. */
export interface Bounce {
  type: "Permanent" | "Transient";
  subtype: string;
}

/** Every text has a reading, so parsing never fails. */
export type FeedbackReading =
  | Feedback
  /** A valid event that Postern does not use. */
  | { kind: "ignored"; type: string }
  | { kind: "unreadable"; reason: string };

/** The feedback source that Postern polls. Calls throw a `ProviderError`. */
export interface FeedbackQueue {
  /**
   * How long the queue hides a received message from all consumers. The queue then delivers it again unless a consumer
   * deleted it. An empty answer therefore proves nothing about messages that another process received within this time.
   */
  readonly visibilityTimeoutSeconds: number;
  /**
   * Returns up to 10 messages as soon as one is available. An empty answer proves an empty queue only if `waitSeconds`
   * > 0.
   */
  receive(options: { waitSeconds: number }): Promise<ReceivedMessage[] | "closed">;
  /** Returns the handles of the messages that were not deleted; the queue delivers those again. */
  delete(receiptHandles: string[]): Promise<string[]>;
  /** Ends a running `receive` immediately. `delete` still works afterwards. */
  close(): void;
}

/** Approximate, as the queue itself says. */
export interface QueueCounts {
  /** Waiting for a consumer. */
  queued: number;
  /** Received by a consumer and not deleted yet. */
  inFlight: number;
  /** Undefined when the queue has no dead-letter queue. */
  deadLetters: number | undefined;
}

export interface ReceivedMessage {
  id: string;
  /** The text as it arrived, for quarantine when the message cannot be applied. */
  body: string;
  feedback: FeedbackReading;
  receiptHandle: string;
  /** How often a consumer received it, including this time. */
  receiveCount: number;
}

/** The feedback source that the provider posts to. Postern trusts only messages with a valid signature. */
export interface FeedbackPush {
  /** False when the provider cannot have sent a request with these headers. Proves nothing otherwise. */
  mayRead(headers: IncomingHttpHeaders): boolean;
  read(body: string): Promise<PushReading>;
  /** Confirms the subscription; the topic sends notifications from then on. Throws a `ProviderError`. */
  confirm(confirmation: { topicArn: string; token: string }): Promise<void>;
}

export type PushReading =
  | { kind: "notification"; messageId: string; feedback: FeedbackReading }
  /** The topic asks whether it may send notifications here. */
  | { kind: "confirmation"; topicArn: string; token: string }
  /** The subscription ended; the topic sends no more notifications to this endpoint. */
  | { kind: "unsubscribed"; topicArn: string }
  | { kind: "refused"; reason: string }
  /**
   * Postern cannot verify the signature at the moment. The caller must answer with an error so that the provider
   * retries.
   */
  | { kind: "cannot-check"; reason: string };
