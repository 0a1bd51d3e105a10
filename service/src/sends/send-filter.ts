import type { SendRecord } from "./send-store.ts";

export interface SendFilter {
  status: SendRecord["status"] | undefined;
  /** In the form in which recipients are compared: lower case, domain as A-labels. */
  recipient: string | undefined;
  /** Every spelling that callers may have used for the domain of the sender, in lower case. */
  fromDomains: string[] | undefined;
  providerMessageId: string | undefined;
  apiKeyId: string | undefined;
  tag?: string | undefined;
  before: string | undefined;
  since: string | undefined;
  until: string | undefined;
  limit: number;
}
