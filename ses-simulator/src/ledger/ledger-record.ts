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

/** One accepted message. The ledger holds exactly one of these per MessageId ever handed out. */
export interface LedgerRecord {
  messageId: string;
  acceptedAt: string;
  requestId: string;
  from: string;
  /** The verified identity that authorised the sender; events name its ARN. */
  identity: string;
  destination: Destination;
  replyTo: string[];
  subject: string;
  tags: Record<string, string[]>;
  configurationSetName?: string;
  /** SHA-256 of the content as received: equal hashes under one tag are a mail sent twice. */
  contentHash: string;
  sizeBytes: number;
  /** What the mail took from the 24 h quota. Mailbox simulator recipients are free. */
  quotaCost: number;
  headers: Header[];
  headersTruncated: boolean;
  /** Everything SES will say about this mail by itself, decided at acceptance. */
  events: PlannedEvent[];
  /** Where the content stands in `mail.ndjson`. */
  mail: { offset: number; length: number };
}

export function recipientsOf({ destination }: Pick<LedgerRecord, "destination">): string[] {
  return [...destination.to, ...destination.cc, ...destination.bcc];
}
