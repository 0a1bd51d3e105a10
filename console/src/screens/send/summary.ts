import type { SendRecord } from "../../api/api-types.ts";
import { formatNumber } from "../../parts/format-number.ts";
import { formatDateTime, formatDuration } from "../../parts/format-time.ts";
import { explainFailure } from "./explain-outcome.ts";
import { keyOf, type OutcomeState, type RecipientOutcome } from "./outcome.ts";

/** Text with addresses in it; an address is shown in bold and never cut into words. */
export type Words = (string | { address: string })[];

export interface SummaryFacts {
  outcomes: RecipientOutcome[];
  failure: Pick<SendRecord, "error_code" | "error_message">;
  /** Whether an address is suppressed now; undefined for one that was not looked up. */
  isSuppressedNow: (address: string) => boolean | undefined;
}

/** More addresses than this in one group are counted instead of named. */
const maxNamed = 3;

/** What happened, for all recipients: "Delivered to tom@… after 1.2 s. bob@… does not exist and is now suppressed." */
export function summarise({ outcomes, failure, isSuppressedNow }: SummaryFacts): Words {
  const groups = Map.groupBy(outcomes, groupOf);
  const keys = [...groups.keys()].toSorted((one, other) => rankOf(one) - rankOf(other));
  const clauses = keys.map((key) => {
    const members = groups.get(key) ?? [];
    return clauseOf(members, { failure, isSuppressedNow, isAll: members.length === outcomes.length });
  });
  return clauses.flatMap((clause, index) => (index === 0 ? clause : [" ", ...clause]));
}

export function toText(words: Words): string {
  return words.map((word) => (typeof word === "string" ? word : word.address)).join("");
}

const groupOrder: OutcomeState[] = [
  "in-doubt",
  "failed",
  "delivered",
  "complained",
  "bounced",
  "delayed",
  "sent",
  "processing",
  "queued",
  "suppressed",
];

function rankOf(key: string): number {
  return groupOrder.findIndex((state) => key.startsWith(state));
}

/** Recipients about whom the same words are true. */
function groupOf({ state, bounce, delay, complaintType, deliveredAt, isForwarded }: RecipientOutcome): string {
  const detail = {
    bounced: `${bounce?.isPermanent} ${bounce?.explanation?.cause} ${deliveredAt !== undefined}`,
    delayed: `${delay?.type} ${delay?.retriedUntil}`,
    complained: complaintType === "not-spam" ? "not-spam" : "",
  }[state as string];
  return [state, detail ?? "", isForwarded ? "forwarded" : ""].join(" ");
}

interface ClauseFacts extends Omit<SummaryFacts, "outcomes"> {
  isAll: boolean;
}

function clauseOf(members: RecipientOutcome[], facts: ClauseFacts): Words {
  const [first] = members;
  if (first === undefined) return [];
  const who = names(members);
  const isMany = members.length > 1;
  const forAll = facts.isAll ? [] : [" for ", ...who];
  switch (first.state) {
    case "delivered":
      return deliveredClause(members);
    case "complained":
      return complainedClause(members, facts);
    case "bounced":
      return [...bounceWords(first, who, isMany), ...bounceEnd(members, facts), "."];
    case "delayed":
      return delayedClause(first, who, isMany);
    case "sent":
      return ["SES accepted the mail for ", ...who, "; the receiving server has not answered yet."];
    case "processing":
      return ["A worker is submitting the mail", ...forAll, " to SES."];
    case "queued":
      return ["Queued", ...forAll, ". Postern has not submitted the mail to SES yet."];
    case "in-doubt":
      return [
        "It is not known whether SES accepted the mail",
        ...forAll,
        ": its answer was lost. Postern waits for a report.",
      ];
    case "suppressed":
      return [...who, isMany ? " were suppressed before and got nothing." : " was suppressed before and got nothing."];
    case "failed":
      return failedClause(who, facts);
  }
}

function failedClause(who: Words, { failure, isAll }: ClauseFacts): Words {
  const isUnknown = failure.error_code === "PROVIDER_OUTCOME_UNKNOWN";
  const to = isAll ? [] : [" to ", ...who];
  const { meaning } = explainFailure(failure);
  return [isUnknown ? "It is not known whether the mail was sent" : "Not sent", ...to, ". ", asEnded(meaning)];
}

function deliveredClause(members: RecipientOutcome[]): Words {
  const after = ({ durationMs }: RecipientOutcome) =>
    durationMs === undefined ? "" : ` after ${formatDuration(durationMs)}`;
  if (members.length > maxNamed) {
    const times = members.flatMap(({ durationMs }) => durationMs ?? []);
    const last = times.length === 0 ? "" : `, the last after ${formatDuration(Math.max(...times))}`;
    return [`Delivered to ${formatNumber(members.length)} recipients${last}.`];
  }
  const each = members.map((member): Words => ["to ", { address: member.address }, after(member)]);
  return ["Delivered ", ...joined(each), "."];
}

function complainedClause(members: RecipientOutcome[], facts: ClauseFacts): Words {
  const [first] = members;
  const who = names(members);
  if (first?.complaintType === "not-spam") return [...who, " got the mail and moved it out of the spam folder."];
  const got = first?.deliveredAt === undefined ? [] : ["got the mail and "];
  return [...who, " ", ...got, "reported it as spam", ...suppressionEnd(members, facts), "."];
}

type Cause = NonNullable<NonNullable<RecipientOutcome["bounce"]>["explanation"]>["cause"];

/** Before and after the addresses, for one and for several. */
const causeWords: Record<Cause, [before: string, after: string, beforeMany: string, afterMany: string]> = {
  "unknown-mailbox": ["", " does not exist", "", " do not exist"],
  "inactive-mailbox": ["", " is disabled", "", " are disabled"],
  "mailbox-full": ["The mailbox of ", " is full", "The mailboxes of ", " are full"],
  "too-large": ["The mail is too large for the server of ", "", "The mail is too large for the servers of ", ""],
  greylisted: ["The server of ", " delays new senders", "The servers of ", " delay new senders"],
  unreachable: ["The server of ", " was not reached", "The servers of ", " were not reached"],
  spam: ["The server of ", " took the mail for spam", "The servers of ", " took the mail for spam"],
  "blocked-sender": ["The server of ", " blocks the network of SES", "The servers of ", " block the network of SES"],
  policy: ["A rule of the server of ", " refused the mail", "Rules of the servers of ", " refused the mail"],
  content: ["The server of ", " refused the content", "The servers of ", " refused the content"],
  "too-much-mail": ["The server of ", " accepts no more mail now", "The servers of ", " accept no more mail now"],
  "suppressed-by-ses": [
    "SES did not send to ",
    ", which is on its own suppression list",
    "SES did not send to ",
    ", which are on its own suppression list",
  ],
  unclear: ["The server of ", " did not accept the mail", "The servers of ", " did not accept the mail"],
};

function bounceWords({ bounce }: RecipientOutcome, who: Words, isMany: boolean): Words {
  const [before, after, beforeMany, afterMany] =
    causeWords[bounce?.explanation?.cause ?? "unclear"] ?? causeWords.unclear;
  return [isMany ? beforeMany : before, ...who, isMany ? afterMany : after].filter((word) => word !== "");
}

function bounceEnd(members: RecipientOutcome[], facts: ClauseFacts): Words {
  const { isForwarded, bounce, deliveredAt } = members[0] ?? {};
  if (isForwarded === true) return ["; the mail was forwarded to this address"];
  if (bounce?.isPermanent !== true) return ["; SES stopped retrying"];
  const late = deliveredAt === undefined ? [] : ["; the server had accepted the mail first"];
  return [...suppressionEnd(members, facts), ...late];
}

/** The addresses are what the clause is about, so it can go on with "and is now suppressed". */
function isAboutAddress({ state, bounce }: RecipientOutcome): boolean {
  const cause = bounce?.explanation?.cause;
  return state === "complained" || cause === "unknown-mailbox" || cause === "inactive-mailbox";
}

/** A suppression can have been lifted since, so the present is said only if it was looked up. */
function suppressionEnd(members: RecipientOutcome[], { isSuppressedNow }: ClauseFacts): Words {
  const now = members.map(({ address }) => isSuppressedNow(keyOf(address)));
  const isMany = members.length > 1;
  if (now.every((is) => is === false)) {
    return [isMany ? "; the addresses are not suppressed any more" : "; the address is not suppressed any more"];
  }
  const subject = members.every(isAboutAddress) ? " and" : isMany ? "; the addresses" : "; the address";
  if (now.every((is) => is === true)) return [`${subject} ${isMany ? "are" : "is"} now suppressed`];
  return [`${subject} ${isMany ? "were" : "was"} suppressed`];
}

function delayedClause({ delay }: RecipientOutcome, who: Words, isMany: boolean): Words {
  const cause: Words =
    delay?.type === "MailboxFull"
      ? [isMany ? "The mailboxes of " : "The mailbox of ", ...who, isMany ? " are full" : " is full"]
      : [
          isMany ? "The servers of " : "The server of ",
          ...who,
          isMany ? " have not accepted the mail yet" : " has not accepted the mail yet",
        ];
  const until = delay?.retriedUntil;
  return [
    ...cause,
    until === undefined ? "; SES retries." : `; SES retries until ${formatDateTime(Date.parse(until))}.`,
  ];
}

function names(members: RecipientOutcome[]): Words {
  const isShort = members.length <= maxNamed;
  const named = members.slice(0, isShort ? maxNamed : maxNamed - 1).map(({ address }): Words => [{ address }]);
  const rest = members.length - named.length;
  return joined(rest === 0 ? named : [...named, [`${formatNumber(rest)} others`]]);
}

/** "a", "a and b", "a, b and c" */
function joined(each: Words[]): Words {
  return each.flatMap((words, index) => {
    if (index === 0) return words;
    return [index === each.length - 1 ? " and " : ", ", ...words];
  });
}

function asEnded(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
