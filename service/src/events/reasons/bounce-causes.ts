/** Why a mail was not delivered, as far as the words of the receiving server and of SES say. */
export const bounceCauses = [
  "suppressed-by-ses",
  "greylisted",
  "too-large",
  "mailbox-full",
  "inactive-mailbox",
  "unreachable",
  "unknown-mailbox",
  "too-much-mail",
  "blocked-sender",
  "policy",
  "spam",
  "content",
  "unclear",
] as const;

export type BounceCause = (typeof bounceCauses)[number];

interface CauseRule {
  cause: Exclude<BounceCause, "unclear">;
  /** Phrases in lower case, and patterns where words vary. */
  phrases: (string | RegExp)[];
}

/**
 * The first rule with a phrase in the server's words decides, so a specific rule stands before a general one. Servers use the same code
 * for different things, so phrases count before codes.
 */
export const causeRules: CauseRule[] = [
  { cause: "suppressed-by-ses", phrases: ["suppression list"] },
  {
    cause: "greylisted",
    phrases: [
      /gr[ae]y ?list/,
      "postgrey",
      "sqlgrey",
      /(try|retry)( again)? (in|after) \d+ (seconds|minutes)/,
      "first time sender",
    ],
  },
  {
    cause: "too-large",
    phrases: [
      /message (size|length|file)? ?(is )?(too (large|big|long)|exceeds)/,
      /(too (large|big)|size exceeds|exceeds? (the )?(maximum|fixed|allowed))/,
      /(message|mail|maximum|fixed) (message )?size (limit )?(exceed|limit)/,
      "size limit",
      "sendsizelimit",
    ],
  },
  {
    cause: "mailbox-full",
    phrases: [
      /over ?quota/,
      /over (its|the|their|disk) (quota|storage)/,
      /quota ?exceed|exceed(s|ed)? (its |the |their |his )?(storage|quota|disk|allocated)/,
      /(mailbox|inbox|account|mail ?box|maildrop|user|recipient)('s)? (is |has )?(been )?full/,
      /out of (storage|space|disk)|insufficient (system )?(storage|disk)|not enough (storage|space)|storage (is )?(full|limit)/,
    ],
  },
  {
    cause: "inactive-mailbox",
    phrases: [
      /(mailbox|account|user|recipient|address)[^.;]{0,40} (inactive|disabled|suspended|deactivated|frozen|locked|expired)/,
      /(inactive|disabled|suspended|deactivated|expired) (mailbox|account|user|recipient)/,
    ],
  },
  {
    cause: "unreachable",
    phrases: [
      /(host|domain)( name)?( is)? (not found|unknown|invalid)|(no such|unknown|invalid|bad) (domain|host)|nxdomain|servfail/,
      /dns (domain|error|failure|lookup|name|query|server)|(lookup|resolution|resolve) (of|failed|failure|error)|cannot (find|resolve)|could not be resolved/,
      /null ?mx|no mx|mx (record|lookup|host)|mail exchanger|unrouteable|no route|bad destination (system|host|mailbox address system)/,
      /connection (was )?(refused|timed out|reset|dropped|closed|lost)|(network|host|server) (is )?unreachable|unable to connect|could ?n[o']t connect/,
      /does not (accept|receive) (mail|email|messages)|communication failure|delivery (time )?expired|hop count|mail loop|too many hops/,
    ],
  },
  {
    cause: "unknown-mailbox",
    phrases: [
      /(user|recipient|mailbox|address|account|alias|addressee)[^.;]{0,60} (unknown|not found|not exist|n't exist|unavailable|not available|not known|invalid)/,
      /(unknown|no such|invalid|bad|nonexistent|non existent|undeliverable) (\w+ )?(user|recipient|mailbox|address|local part|account|person)/,
      /no (mailbox|user|account|recipient)s? (here|by|with|in)|does ?n[o']t (have|list) (an? )?[\w.]+ (account|mailbox|user)|does not exist|doesn't exist/,
      /recip(ient)?notfound|user not found|not a (valid|known) (user|mailbox|recipient|address)|isn't a valid|no longer (available|valid|at|works|in use)/,
      "recipient address rejected: access denied",
    ],
  },
  {
    cause: "too-much-mail",
    phrases: [
      /too (many|much) (messages|mails?|emails?|connections|concurrent|sessions)|rate limit|throttl|unusual rate|at a rate|too (quickly|fast)/,
    ],
  },
  {
    cause: "blocked-sender",
    phrases: [
      /(block|black|deny) ?list|\b(rbl|dnsbl|spamhaus|barracudacentral|sorbs|spamcop|uceprotect|abusix|senderbase)\b/,
      /reputation|banned sending|(ip|host|client|network|server)[^.;]{0,60} (blocked|banned|listed)|is on our block|part of their network is on/,
    ],
  },
  {
    cause: "spam",
    phrases: [
      /\b(spam|junk|unsolicited|phish\w*|bulk)\b/,
      /(likely|suspected|considered|looks) (unwanted|suspicious|abusive)|message (content )?score/,
    ],
  },
  {
    cause: "content",
    phrases: [
      /virus|malware|attachment|executable|(banned|blocked|dangerous|forbidden) (file|url|link|content)|content (was )?(rejected|refused|denied|blocked)/,
    ],
  },
  {
    cause: "policy",
    phrases: [
      /\b(dmarc|spf|dkim|arc)\b|unauthenticated|authentication (required|failed|check)|not authenticated/,
      /relay(ing)? (access )?(denied|not|prohibited)|to relay|not (authori[sz]ed|permitted|allowed)|restricted|polic(y|ies)|sender (address )?rejected/,
      /reverse dns|ptr record|access denied|administrative(ly)? (prohibit|refus)|transaction failed|denied by/,
    ],
  },
];

/** The meaning of enhanced status codes (RFC 3463), for words that no rule knows. The class, 4 or 5, is left out. */
export const causeOfStatus: Record<string, BounceCause> = {
  "1.1": "unknown-mailbox",
  "1.2": "unreachable",
  "1.3": "unknown-mailbox",
  "1.6": "unknown-mailbox",
  "1.10": "unreachable",
  "2.1": "inactive-mailbox",
  "2.2": "mailbox-full",
  "2.3": "too-large",
  "3.4": "too-large",
  "4.1": "unreachable",
  "4.2": "unreachable",
  "4.3": "unreachable",
  "4.4": "unreachable",
  "4.6": "unreachable",
  "4.7": "unreachable",
  "6.0": "content",
  "6.1": "content",
  "7.0": "policy",
  "7.1": "policy",
  "7.2": "policy",
  "7.23": "policy",
  "7.26": "policy",
  "7.27": "unreachable",
  "7.28": "too-much-mail",
};

/** What SES concluded itself, for a bounce without known words and codes. */
export const causeOfSesSubtype: Record<string, BounceCause> = {
  NoEmail: "unknown-mailbox",
  MailboxFull: "mailbox-full",
  MessageTooLarge: "too-large",
  ContentRejected: "content",
  AttachmentRejected: "content",
  Suppressed: "suppressed-by-ses",
  OnAccountSuppressionList: "suppressed-by-ses",
};
