import type { PlannedEvent } from "../events/planned-event.ts";

export interface Header {
  name: string;
  value: string;
}

export interface Destination {
  to: string[];
  cc: string[];
  bcc: string[];
}

/** One accepted message. The ledger holds exactly one record for each MessageId that SES returned. */
export interface LedgerRecord {
  messageId: string;
  acceptedAt: string;
  requestId: string;
  from: string;
  /** The verified identity that authorised the sender. Events carry its ARN. */
  identity: string;
  destination: Destination;
  replyTo: string[];
  subject: string;
  tags: Record<string, string[]>;
  configurationSetName?: string;
  tenantName?: string;
  /** SHA-256 of the received content. Equal hashes with equal tags indicate a mail that was sent twice. */
  contentHash: string;
  sizeBytes: number;
  /** The number of recipients that count towards the 24 h quota. Mailbox simulator recipients do not count. */
  quotaCost: number;
  headers: Header[];
  headersTruncated: boolean;
  /** All events that SES will publish for this mail, decided at acceptance. */
  events: PlannedEvent[];
  /** The position of the content in `mail.ndjson`. */
  mail: { offset: number; length: number };
}

export function recipientsOf({ destination }: Pick<LedgerRecord, "destination">): string[] {
  return [...destination.to, ...destination.cc, ...destination.bcc];
}
