import { type BounceCause, causeOfSesSubtype, causeOfStatus, causeRules } from "./bounce-causes.ts";

/** What SES and the receiving server said about one recipient. */
export interface BounceReason {
  type: "Permanent" | "Transient";
  subtype: string;
  /** The enhanced status code, such as 5.1.1. */
  status: string | undefined;
  /** The words of the receiving server. */
  diagnostic: string | undefined;
}

/** In words for a person who does not know SMTP. */
export interface Explanation {
  cause: BounceCause;
  meaning: string;
  nextStep: string;
}

export function explainBounce(reason: BounceReason): Explanation {
  const cause = causeOf(reason);
  const { meaning, nextStep } = texts[cause];
  return { cause, meaning, nextStep: reason.type === "Permanent" ? nextStep.permanent : nextStep.transient };
}

function causeOf({ subtype, status, diagnostic }: BounceReason): BounceCause {
  const words = wordsOf(diagnostic ?? "");
  const rule = causeRules.find(({ phrases }) =>
    phrases.some((phrase) => (typeof phrase === "string" ? words.includes(phrase) : phrase.test(words))),
  );
  if (rule !== undefined) return rule.cause;
  const code = status ?? /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(words)?.[0];
  return entryOf(causeOfStatus, code?.slice(2) ?? "") ?? entryOf(causeOfSesSubtype, subtype) ?? "unclear";
}

/** The word is from outside: an object has `constructor` and others without an entry. */
function entryOf(causes: Record<string, BounceCause>, word: string): BounceCause | undefined {
  return Object.hasOwn(causes, word) ? causes[word] : undefined;
}

/** In lower case, on one line, without the codes that a server repeats at the start of every line and in the middle of sentences. */
function wordsOf(diagnostic: string): string {
  return diagnostic
    .toLowerCase()
    .replaceAll(/\b[245]\d\d[- ](?=[245]\.\d)/g, "")
    .replaceAll(/[\s_-]+/g, " ");
}

interface CauseTexts {
  meaning: string;
  nextStep: { permanent: string; transient: string };
}

const suppressed = "The address is now suppressed.";

const texts: Record<BounceCause, CauseTexts> = {
  "unknown-mailbox": {
    meaning: "The mailbox does not exist.",
    nextStep: {
      permanent: `${suppressed} Correct it in your data.`,
      transient: "Check the address. If it is right, send the mail again later.",
    },
  },
  "inactive-mailbox": {
    meaning: "The mailbox exists but is disabled or no longer used.",
    nextStep: {
      permanent: `${suppressed} Ask the recipient for another address.`,
      transient: "Send the mail again later, or ask the recipient for another address.",
    },
  },
  "mailbox-full": {
    meaning: "The mailbox is full.",
    nextStep: {
      permanent: `${suppressed} When the recipient has made room, remove the suppression and send the mail again.`,
      transient: "Send the mail again when the recipient has made room.",
    },
  },
  "too-large": {
    meaning: "The mail is larger than the receiving server accepts.",
    nextStep: {
      permanent: `${suppressed} Make the mail smaller, remove the suppression and send it again.`,
      transient: "Make the mail smaller and send it again.",
    },
  },
  greylisted: {
    meaning: "The receiving server delays mail from senders that it does not know yet.",
    nextStep: {
      permanent: `${suppressed} Remove the suppression and send the mail again.`,
      transient: "Send the mail again in some minutes. The server usually accepts the next try.",
    },
  },
  unreachable: {
    meaning: "The mail server of the recipient's domain was not found or not reached.",
    nextStep: {
      permanent: `${suppressed} Check the part of the address after the @.`,
      transient: "Check the part of the address after the @. If it is right, send the mail again later.",
    },
  },
  spam: {
    meaning: "The receiving server took the mail for spam.",
    nextStep: {
      permanent: `${suppressed} Check the content and the DKIM, SPF and DMARC records of your domain before you send again.`,
      transient: "Check the content and the DKIM, SPF and DMARC records of your domain before you send again.",
    },
  },
  "blocked-sender": {
    meaning: "The receiving server blocks the address or network that SES sent the mail from.",
    nextStep: {
      permanent: `${suppressed} Ask the operator to check the reputation of the SES account, then remove the suppression.`,
      transient:
        "Send the mail again later. If it happens often, ask the operator to check the reputation of the SES account.",
    },
  },
  policy: {
    meaning: "A rule of the receiving server refused the mail.",
    nextStep: {
      permanent: `${suppressed} Send the server's words to the mail administrator of the recipient.`,
      transient:
        "Check the DKIM, SPF and DMARC records of your domain, or send the server's words to the mail administrator of the recipient.",
    },
  },
  content: {
    meaning: "The receiving server refused the content of the mail.",
    nextStep: {
      permanent: `${suppressed} Change the links or the content, remove the suppression and send the mail again.`,
      transient: "Change the links or the content and send the mail again.",
    },
  },
  "too-much-mail": {
    meaning: "The receiving server accepts no more mail at the moment.",
    nextStep: {
      permanent: `${suppressed} Remove the suppression and send the mail again later, with fewer mails at the same time.`,
      transient: "Send the mail again later, with fewer mails at the same time.",
    },
  },
  "suppressed-by-ses": {
    meaning: "SES did not send the mail, because the address is on the suppression list of the SES account.",
    nextStep: {
      permanent: `${suppressed} If it is right, remove the suppression: that removes it from the list of SES too.`,
      transient: "If the address is right, remove its suppression: that removes it from the list of SES too.",
    },
  },
  unclear: {
    meaning: "The receiving server did not accept the mail.",
    nextStep: {
      permanent: `${suppressed} The server's words may say why.`,
      transient: "The server's words may say why. Send the mail again later.",
    },
  },
};
