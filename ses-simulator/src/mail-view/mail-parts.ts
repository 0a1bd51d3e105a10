import type { Header, ReceivedAttachment } from "../ledger/ledger-record.ts";

/** The parts of a mail that its recipient sees. */
export interface MailParts {
  text?: string;
  html?: string;
  customHeaders: Header[];
  attachments: MailAttachment[];
}

export interface MailAttachment {
  name: string;
  type: string;
  isInline: boolean;
  /** The HTML names an inline image as `cid:<contentId>`. */
  contentId?: string;
  description?: string;
  encoding: ReceivedAttachment["contentTransferEncoding"];
  bytes: Buffer;
}
