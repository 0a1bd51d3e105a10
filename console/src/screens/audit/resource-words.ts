import { type ActionWords, count, text } from "./action-words-shape.ts";

/** API keys, domains, suppressions, sends and webhooks. */
export const resourceWords = {
  "api-key.create": {
    title: "API key created",
    did: ({ target, after }) => `created the ${text(after.type)} API key ${target}`,
    meaning: "Postern showed the secret once, to this person.",
  },
  "api-key.roll": {
    title: "API key rolled",
    did: ({ target }) => `rolled the API key ${target}`,
    meaning: "The key has a new secret. The one before works until the time below.",
  },
  "api-key.revoke": {
    title: "API key revoked",
    did: ({ target }) => `revoked the API key ${target}`,
    meaning: "Requests with this key get 401 since then. This cannot be undone.",
  },
  "domain.register": {
    title: "Domain added",
    did: ({ target }) => `added the domain ${target}`,
    meaning: "The account can send from it once its DNS records are found.",
  },
  "domain.verify": {
    title: "Domain check requested",
    did: ({ target }) => `asked for a check of the domain ${target}`,
    meaning: "Postern looked for the DNS records at once. Checks that Postern does by itself have no entry.",
  },
  "domain.mail-from-change": {
    title: "MAIL FROM changed",
    did: ({ target, after }) =>
      text(after.mail_from_subdomain) === ""
        ? `removed the MAIL FROM subdomain of ${target}`
        : `set the MAIL FROM subdomain of ${target} to ${text(after.mail_from_subdomain)}`,
    meaning: "Bounces return to this domain. It needs DNS records of its own.",
  },
  "domain.remove": {
    title: "Domain removed",
    did: ({ target }) => `removed the domain ${target}`,
    meaning: "The account can no longer send from it.",
  },
  "suppression.add": {
    title: "Address suppressed",
    did: ({ target, after }) => `suppressed ${target} in ${text(after.mode)} mode`,
    meaning: "Postern sends nothing to the address. Bounces and complaints suppress addresses without an entry here.",
  },
  "suppression.remove": {
    title: "Suppression lifted",
    did: ({ target }) => `lifted the suppression of ${target}`,
    meaning: "Postern sends to the address again, and asks SES to do the same.",
  },
  "suppression.import": {
    title: "Suppressions imported",
    did: ({ after }) =>
      `imported ${count(after.added, "suppression")} from ${text(after.source) || "a file"}` +
      (Number(after.strengthened) > 0
        ? `, and gave ${count(after.strengthened, "known one", "known ones")} a stronger reason`
        : ""),
    meaning: "Each entry is one batch of up to 1,000 addresses.",
  },
  "send.cancel": {
    title: "Sends cancelled",
    did: ({ isAccount, target, after }) =>
      isAccount ? `cancelled ${count(after.sends, "queued send")}` : `cancelled the send ${target}`,
    meaning: "It ended as failed with CANCELLED while it was queued.",
  },
  "content.read": {
    title: "Content of a mail read",
    did: ({ target, after }) =>
      typeof after.attachment === "number"
        ? `downloaded attachment ${after.attachment} of the send ${target}`
        : `read the content of the send ${target}${after.images === true ? ", with its images" : ""}`,
    meaning: "Somebody saw what the mail says, with an API key or on this console.",
  },
  "webhook.create": {
    title: "Webhook created",
    did: ({ target }) => `created the webhook ${target}`,
    meaning: "Postern notifies this URL of the chosen types of events.",
  },
  "webhook.change": {
    title: "Webhook changed",
    did: ({ target, before, after }) =>
      before.enabled === after.enabled
        ? `changed the webhook ${target}`
        : `${after.enabled === true ? "enabled" : "disabled"} the webhook ${target}`,
    meaning: "A webhook that is off gets no notifications.",
  },
  "webhook.rotate": {
    title: "Webhook secret rotated",
    did: ({ target }) => `rotated the secret of the webhook ${target}`,
    meaning: "Postern signs with the new secret, and with the one before until the time below.",
  },
  "webhook.test": {
    title: "Webhook tested",
    did: ({ target }) => `sent a test to the webhook ${target}`,
    meaning: "The notification was an example, about no real mail.",
  },
  "webhook.curl": {
    title: "Signed curl of a delivery made",
    did: ({ target }) => `made a signed curl command for a delivery of the webhook ${target}`,
    meaning: "The command sends this notification once more. Receivers accept its signature for five minutes.",
  },
  "webhook.replay": {
    title: "Notification replayed",
    did: ({ target, after }) => `sent a notification ${quoted(after.type)}again to the webhook ${target}`,
    meaning: "The endpoint gets the same notification with the same id once more.",
  },
  "webhook.replay-range": {
    title: "Replay of a time range started",
    did: ({ target }) => `started a replay of a time range to the webhook ${target}`,
    meaning: "The endpoint gets all notifications of the time below once more.",
  },
  "webhook.replay-cancel": {
    title: "Replay cancelled",
    did: ({ target, after }) =>
      `cancelled a replay to the webhook ${target} after ${count(after.deliveries, "notification")}`,
    meaning: "Notifications that had gone out already stay delivered.",
  },
  "webhook.delete": {
    title: "Webhook deleted",
    did: ({ target }) => `deleted the webhook ${target}`,
    meaning: "Postern no longer notifies this URL.",
  },
} as const satisfies Record<string, ActionWords>;

function quoted(type: unknown): string {
  return text(type) === "" ? "" : `(${text(type)}) `;
}
