/** What the provider says became of a mail. It comes at least once, in any order, one recipient at a time or together. */
export type Feedback =
  | (AboutMail & { kind: "send" })
  | (AboutMail & { kind: "delivery" })
  | (AboutMail & { kind: "bounce"; bounce: Bounce })
  /** `isSpam` is false for a report that takes an earlier one back. */
  | (AboutMail & { kind: "complaint"; complaintType: string | undefined; isSpam: boolean })
  /** The provider had accepted it and will not send it after all. */
  | (AboutMail & { kind: "reject"; reason: string })
  /** It is still being tried; nothing changes by it. */
  | (AboutMail & { kind: "delay" });

export interface AboutMail {
  providerMessageId: string;
  /** Our tags of the hand-over. Absent where the provider tells none, and where they are not of the shape we give. */
  sendId: string | undefined;
  attempt: number | undefined;
  /** When the provider accepted the mail, and when this happened: ISO 8601 in UTC. */
  submittedAt: string;
  at: string;
  /** Bare addresses as reported, in any case; a bounce may name one that the mail was forwarded to. */
  recipients: string[];
  /** Names this one bounce or complaint in all copies. */
  feedbackId: string | undefined;
}

/** What the provider calls undetermined is Transient: it proves nothing against the address. */
export interface Bounce {
  type: "Permanent" | "Transient";
  subtype: string;
}

/** Any text is one of these, so nothing that arrives can break its reader. */
export type FeedbackReading =
  | Feedback
  /** Understood, and none of our business. */
  | { kind: "ignored"; type: string }
  | { kind: "unreadable"; reason: string };

/** The door that Postern opens itself. Calls throw a `ProviderError`. */
export interface FeedbackQueue {
  /**
   * For how long a received message is kept from everyone. It comes again unless it was deleted, so an empty queue proves
   * nothing about messages that another process received within that time and has not deleted.
   */
  readonly hiddenSeconds: number;
  /** At most 10, as soon as there is one. Only with `waitSeconds` above 0 does an empty answer mean that none was there. */
  receive(options: { waitSeconds: number }): Promise<ReceivedMessage[] | "closed">;
  /** Returns the handles whose messages were not deleted and will come again. */
  delete(receiptHandles: string[]): Promise<string[]>;
  /** Ends a `receive` under way at once; deleting goes on to work. */
  close(): void;
}

export interface ReceivedMessage {
  id: string;
  /** The text as it came, for keeping what cannot be applied. */
  body: string;
  feedback: FeedbackReading;
  receiptHandle: string;
  /** How often it was given to somebody, this time included. */
  receiveCount: number;
}

/** The door that the provider knocks at. Nothing that is said there is believed without a signature. */
export interface FeedbackPush {
  read(body: string): Promise<PushReading>;
  /** Answers a confirmation, so that notifications come from then on. Throws a `ProviderError`. */
  confirm(confirmation: { topicArn: string; token: string }): Promise<void>;
}

export type PushReading =
  | { kind: "notification"; messageId: string; feedback: FeedbackReading }
  /** The topic asks whether it may send notifications here. */
  | { kind: "confirmation"; topicArn: string; token: string }
  /** Somebody ended the subscription: no more notifications will come here. */
  | { kind: "unsubscribed"; topicArn: string }
  | { kind: "refused"; reason: string }
  /** Neither believed nor refused, for trouble of our own: the provider must be made to come again. */
  | { kind: "cannot-check"; reason: string };
