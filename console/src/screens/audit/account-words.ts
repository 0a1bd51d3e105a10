import { type ActionWords, count, text } from "./action-words-shape.ts";

/** Settings of the account, and what operators and the guard did to it. */
export const accountWords = {
  "account.settings-change": {
    title: "Account settings changed",
    did: ({ after }) =>
      after.totp_required === true
        ? "made two-factor authentication a requirement for all members"
        : "ended the requirement of two-factor authentication",
    meaning:
      "While it is required, members without two-factor authentication can only set it up. API keys keep working.",
  },
  "account.create": {
    title: "Account created",
    did: ({ target }) => `created the account ${target}`,
    meaning: "The account exists since then.",
  },
  "account.delete": {
    title: "Deletion of the account requested",
    did: () => "requested the deletion of the account",
    meaning:
      "Postern refuses all keys and log-ins, cancels queued mail, and deletes the account after two days, unless an operator undoes it.",
  },
  "account.delete-undo": {
    title: "Deletion of the account undone",
    did: () => "undid the deletion of the account",
    meaning: "Keys and log-ins work again. Mail that was cancelled stays cancelled.",
  },
  "account.export": {
    title: "Data of the account exported",
    did: ({ after }) =>
      after.continued === true
        ? "continued an export of the data of the account"
        : "exported the data of the account to files",
    meaning: "The files have the records of the account, without secrets and without the content of mails.",
  },
  "address.erase": {
    title: "Address erased",
    did: () => "erased a mail address from the record",
    meaning:
      "The record names it no longer, and neither does this entry. It stays on the suppression list if it was there.",
  },
  "quarantine.read": {
    title: "Quarantined notification read",
    did: ({ target }) => `read the notification ${target} of the quarantine`,
    meaning: "An operator saw a message of SES that could not be applied. It can name addresses of any account.",
  },
  "quarantine.replay": {
    title: "Quarantine replayed",
    did: ({ target, after }) =>
      target === ""
        ? `applied the quarantine again: ${count(after.due, "notification")}`
        : `applied the notification ${target} of the quarantine again`,
    meaning: "What can be applied now is in the record, and the rest stays in the quarantine.",
  },
  "account.suspend": {
    title: "Account suspended",
    did: () => "suspended the account",
    meaning: "Postern refuses all keys and log-ins of the account until an operator resumes it.",
  },
  "account.resume": {
    title: "Account resumed",
    did: () => "resumed the account",
    meaning: "Keys and log-ins of the account work again.",
  },
  "account.hold": {
    title: "Mail held",
    did: () => "held the mail of the account",
    meaning: "Postern accepts mail and does not send it until an operator releases the account.",
  },
  "account.release": {
    title: "Mail released",
    did: () => "released the mail of the account",
    meaning: "Mail that waited goes out.",
  },
  "account.guard-hold": {
    title: "Mail held by the guard",
    did: ({ after }) => `held the mail of the account${because(after.reason)}`,
    meaning:
      "Bounces or complaints passed the line at which SES stops senders. Mail waits until an operator releases the account.",
  },
  "account.guard-release": {
    title: "Mail released from the guard",
    did: () => "released the mail that the guard held",
    meaning: "Mail that waited goes out. The guard counts bounces and complaints from zero again.",
  },
  "account.guard-change": {
    title: "Guard changed",
    did: ({ after }) => `turned the guard ${after.off === true ? "off" : "on"}`,
    meaning:
      "The guard holds the mail of an account whose bounces or complaints harm all accounts. While it is off, it holds nothing.",
  },
  "account.limits-change": {
    title: "Rate limits changed",
    did: () => "changed the rate limits of the account",
    meaning: "The limits say how many send requests the account may make in a second, in ten seconds and in a minute.",
  },
  "account.quotas-change": {
    title: "Quotas changed",
    did: ({ after }) => `changed the quotas for ${text(after.mode) || "the"} mail`,
    meaning: "The quotas bound recipients of a day, queued recipients and stored content. Empty means unlimited.",
  },
  "account.webhook-networks-change": {
    title: "Webhook networks changed",
    did: ({ before, after }) =>
      after.allowed === undefined
        ? `no longer allows webhooks to the network ${text(before.allowed)}`
        : `allowed webhooks to the network ${text(after.allowed)}`,
    meaning: "Webhooks go to public addresses, and to the private networks that an operator allows.",
  },
  "send.retry": {
    title: "Failed sends queued again",
    did: ({ after }) =>
      `queued ${count(after.sends, "failed send")} again${text(after.error_code) === "" ? "" : ` (${text(after.error_code)})`}`,
    meaning: "An operator found the cause of the failure and sent the mail again. Each entry is one batch.",
  },
  "operator.change": {
    title: "Operator changed",
    did: ({ target, after }) =>
      after.is_operator === true
        ? `made ${target} an operator of the installation`
        : `ended the operator rights of ${target}`,
    meaning: "An operator sees all accounts of the installation and can hold their mail, but reads no mail.",
  },
} as const satisfies Record<string, ActionWords>;

function because(reason: unknown): string {
  return text(reason) === "" ? "" : `: ${text(reason)}`;
}
