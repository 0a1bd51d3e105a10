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

/** An attachment of a simple mail as SES received it. Its bytes are in the content of the mail. */
export interface ReceivedAttachment {
  fileName: string;
  contentType?: string;
  contentDisposition: "ATTACHMENT" | "INLINE";
  contentId?: string;
  contentDescription?: string;
  contentTransferEncoding: "BASE64" | "QUOTED_PRINTABLE" | "SEVEN_BIT";
  /** Size and SHA-256 of the decoded bytes. */
  sizeBytes: number;
  sha256: string;
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
  /** The size of the encoded mail, which SES limits. */
  sizeBytes: number;
  /** The number of recipients that count towards the 24 h quota. Mailbox simulator recipients do not count. */
  quotaCost: number;
  /** The headers of the mail, as events carry them: SES truncates them. */
  headers: Header[];
  headersTruncated: boolean;
  /** All `Headers` of a simple mail, as received. Absent if there are none, like `attachments`. */
  customHeaders?: Header[];
  attachments?: ReceivedAttachment[];
  /** All events that SES will publish for this mail, decided at acceptance. */
  events: PlannedEvent[];
  /** The position of the content in `mail.ndjson`. */
  mail: { offset: number; length: number };
}

export function recipientsOf({ destination }: Pick<LedgerRecord, "destination">): string[] {
  return [...destination.to, ...destination.cc, ...destination.bcc];
}
