import type { Header } from "../../ledger/ledger-record.ts";
import { SesError } from "../ses-error.ts";

/** The headers that the SES Developer Guide ("Amazon SES header fields") allows only once, today or in an earlier edition. */
const singleHeaders = new Set(
  `accept-language acceptlanguage archived-at auto-submitted bcc bounces-to cc comments content-alternative content-base content-class
  content-description content-disposition content-duration content-id content-language content-length content-location content-md5
  content-transfer-encoding content-type date delivered-to disposition-notification-options disposition-notification-to dkim-signature
  domainkey-signature errors-to from importance in-reply-to keywords list-archive list-help list-id list-owner list-post list-subscribe
  list-unsubscribe list-unsubscribe-post message-context message-id mime-version organization original-from original-message-id
  original-recipient original-subject precedence priority references reply-to return-path return-receipt-to sender sensitivity solicitation
  subject thread-index thread-topic to user-agent vbr-info x-mailer x-priority`.split(/\s+/),
);

export function refuseRepeatedHeaders(headers: Header[]): void {
  const seen = new Set<string>();
  for (const { name } of headers) {
    const lower = name.toLowerCase();
    if (singleHeaders.has(lower) && seen.has(lower))
      throw new SesError("MessageRejected", `Duplicate header '${name}'.`);
    seen.add(lower);
  }
}
