import type { EventDetails } from "../events/planned-event.ts";
import type { Destination, Header } from "../ledger/ledger-record.ts";

/** Mails that SES did not get. The mail view reads them here when a person looks, and shows them beside accepted mails. */
export interface OtherMails {
  /** Marks them in the list, such as `test`. */
  label: string;
  /** What the label means; the page shows it above an opened mail. */
  note: string;
  /**
   * Newest first: mails older than the mail `before` in which sender, recipients and subject together contain every word. The words
   * are in lower case. With words, only the newest `searched` mails have to be read.
   */
  list(query: OtherMailsQuery): Promise<OtherMail[]>;
  find(id: string): Promise<OpenedMail | undefined>;
}

export interface OtherMailsQuery {
  limit: number;
  before: string | undefined;
  words: string[];
  searched: number;
}

export interface OtherMail {
  id: string;
  acceptedAt: string;
  from: string;
  destination: Destination;
  replyTo: string[];
  subject: string;
  tags: Record<string, string[]>;
  events: EventDetails[];
}

export interface OpenedMail extends OtherMail {
  text?: string;
  html?: string;
  customHeaders?: Header[];
  attachments?: OtherAttachment[];
}

export interface OtherAttachment {
  name: string;
  type: string;
  isInline?: boolean;
  contentId?: string;
  bytes: Buffer;
}
