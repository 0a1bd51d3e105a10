import type { SendErrorCode } from "./settle-sends.ts";

interface CatalogueEntry {
  meaning: string;
  action: string;
}

/** Explains the `error_code` of a failed send. `npm run docs` writes docs/reference/errors.md from it. */
export const sendErrorCatalogue: Record<SendErrorCode, CatalogueEntry> = {
  PROVIDER_REJECTED: {
    meaning: "SES refused the mail. `error_message` contains its reason.",
    action: "Fix the cause, then send again.",
  },
  PROVIDER_UNAVAILABLE: {
    meaning: "SES was unavailable until the worker stopped retrying, after GIVE_UP_AFTER_SECONDS.",
    action: "Send again, or ask the operator to run `postern admin retry`.",
  },
  PROVIDER_OUTCOME_UNKNOWN: {
    meaning:
      "SES did not report whether it accepted the mail, and IN_DOUBT_POLICY is `fail` or the mail expired. The mail may have arrived. A later SES event " +
      "corrects the status.",
    action: "Send again only if a second copy does no harm.",
  },
  DOMAIN_NOT_VERIFIED: {
    meaning: "The sender's domain was removed, or it was not verified until the worker stopped retrying.",
    action: "Verify the domain, then send again.",
  },
  MESSAGE_TOO_LARGE: {
    meaning: "SES refused the mail because of its size.",
    action: "Send a smaller mail.",
  },
  CANCELLED: {
    meaning:
      "The mail was ended while it was queued: the sender cancelled it, or the operator revoked its API key or discarded old mail of the " +
      "account. `error_message` says which, and whether an earlier attempt may have gone out. A later SES event corrects the status.",
    action: "Send again, with a valid key, if the mail is still wanted.",
  },
  EXPIRED: {
    meaning: "The mail expired, at `expires_at` or after `ttl_seconds`, before a worker could submit it to SES.",
    action: "Send again, with a later expiry, if the mail is still wanted.",
  },
  INTERNAL: {
    meaning: "Postern could not build or decrypt the mail. `error_message` says why.",
    action: "Report the id of the send to the operator.",
  },
};
