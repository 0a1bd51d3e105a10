import type { Cause } from "./find-causes.ts";

interface NoticeText {
  subject: string;
  text: string;
}

const texts: Record<Cause["kind"], { users: (cause: Cause) => NoticeText; operator: (cause: Cause) => NoticeText }> = {
  "account-held": {
    users: ({ accountName, subject }) => ({
      subject: `The live mail of ${accountName} is on hold`,
      text: paragraphs(
        `Postern has stopped sending the live mail of ${accountName}.`,
        `The reason: ${subject}`,
        "Your mail is not lost. The API still accepts it, and it waits until the hold ends. Test mail goes on.",
        "What to do: look at the bounces and complaints (GET /api/v1/events), remove the addresses that caused them from your data, " +
          "and then ask the operator of this installation to release the account.",
      ),
    }),
    operator: ({ accountId, accountName, subject }) => ({
      subject: `The guard holds the live mail of ${accountName}`,
      text: paragraphs(
        `The guard has stopped the live mail of the account ${accountName} (${accountId}) to protect the SES account.`,
        `The reason: ${subject}`,
        "The mail of all other accounts goes on.",
        `What to do: when the account has fixed the cause, run postern admin guard --account ${accountId} --release`,
      ),
    }),
  },
  "domain-failing": {
    users: ({ subject, at }) => ({
      subject: `DNS records of ${subject} are missing`,
      text: paragraphs(
        `Postern no longer finds the DNS records that prove that ${subject} is yours.`,
        `Mail from this domain still goes out. If the records are not back by ${at} UTC, the domain loses its verification, and ` +
          "Postern refuses new mail from it.",
        `What to do: publish the records of ${subject} again. GET /api/v1/domains shows each record and what DNS answered. Postern ` +
          "checks every hour.",
      ),
    }),
    operator: ({ accountId, accountName, subject, at }) => ({
      subject: `DNS records of ${subject} (${accountName}) are missing`,
      text: paragraphs(
        `Postern no longer finds the DNS records of ${subject}, a domain of the account ${accountName} (${accountId}).`,
        `If they are not back by ${at} UTC, the domain loses its verification, and Postern refuses new mail from it.`,
        "If many domains fail at once, check DNS_SERVERS and the network of the workers.",
      ),
    }),
  },
  "key-expiring": {
    users: ({ accountName, subject, at }) => ({
      subject: `The API key "${subject}" expires soon`,
      text: paragraphs(
        `The API key "${subject}" of ${accountName} expires at ${at} UTC. From then on the API refuses it.`,
        "What to do: create a new key (POST /api/v1/api-keys), use it in your program, and then revoke the old one. If no program " +
          "uses the key any longer, ignore this notice.",
      ),
    }),
    operator: ({ accountId, accountName, subject, at }) => ({
      subject: `An API key of ${accountName} expires soon`,
      text: paragraphs(`The API key "${subject}" of the account ${accountName} (${accountId}) expires at ${at} UTC.`),
    }),
  },
  "webhook-failing": {
    users: ({ accountName, subject, at }) => ({
      subject: `The webhook at ${subject} does not work`,
      text: paragraphs(
        `Since ${at} UTC no notification of ${accountName} has reached the webhook at ${subject}.`,
        "Postern tries each notification again for three days. After five days without a success and ten lost notifications it " +
          "disables the webhook.",
        "What to do: GET /api/v1/webhooks/:id/deliveries shows every attempt with the answer of your server. When it works again, " +
          "POST /api/v1/webhooks/:id/replay sends what was lost.",
      ),
    }),
    operator: ({ accountId, accountName, subject, at }) => ({
      subject: `A webhook of ${accountName} does not work`,
      text: paragraphs(
        `Since ${at} UTC no notification of the account ${accountName} (${accountId}) has reached its webhook at ${subject}.`,
        "If the webhooks of many accounts fail at once, check DNS and the network of the workers.",
      ),
    }),
  },
  "webhook-disabled": {
    users: ({ accountName, subject, at }) => ({
      subject: `The webhook at ${subject} is disabled`,
      text: paragraphs(
        `Postern disabled the webhook of ${accountName} at ${subject} at ${at} UTC, because it had failed for five days or answered ` +
          "410 Gone. It gets no notifications.",
        "What to do: when your server works again, enable the webhook (PATCH /api/v1/webhooks/:id with enabled: true), and send what " +
          "it missed with POST /api/v1/webhooks/:id/replay. If you no longer need it, delete it.",
      ),
    }),
    operator: ({ accountId, accountName, subject, at }) => ({
      subject: `A webhook of ${accountName} is disabled`,
      text: paragraphs(
        `Postern disabled the webhook of the account ${accountName} (${accountId}) at ${subject} at ${at} UTC, because it had failed ` +
          "for five days or answered 410 Gone.",
      ),
    }),
  },
};

export function noticeText(cause: Cause, audience: "users" | "operator"): NoticeText {
  const { subject, text } = texts[cause.kind][audience](cause);
  // Names come from customers: a subject is one line.
  return { subject: subject.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ").slice(0, 200), text };
}

function paragraphs(...parts: string[]): string {
  return `${parts.join("\n\n")}\n\nThis notice was sent automatically by Postern, at most once a day for each cause.\n`;
}
