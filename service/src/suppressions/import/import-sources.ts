import { parseAddress } from "../../mail-address.ts";
import type { SuppressionReason } from "../../suppression-reason.ts";

/** Services whose exports Postern reads. docs/suppressions.md lists the columns that it reads of each. */
export const fileSources = ["csv", "sendgrid", "resend", "postmark", "mailgun"] as const;

export type FileSource = (typeof fileSources)[number];

/** The values of one record by the names of their columns, which `columnName` made. */
export type ImportValues = Readonly<Record<string, string | undefined>>;

export interface ImportEntry {
  /** In lower case. */
  email: string;
  reason: SuppressionReason;
  note: string | undefined;
}

interface Source {
  address: readonly string[];
  /** Undefined when the record does not say it. */
  reason: (values: ImportValues) => SuppressionReason | { problem: string } | undefined;
}

const sources: Record<FileSource, Source> = {
  csv: { address: ["email", "emailaddress", "address"], reason: ownReason },
  // Bounces have the enhanced status code. Spam reports and unsubscribes have only the address and a time.
  sendgrid: { address: ["email"], reason: ({ status = "" }) => (status.startsWith("5") ? "hard_bounce" : undefined) },
  resend: { address: ["email"], reason: ({ origin = "" }) => reasonOf(origin) },
  postmark: {
    address: ["emailaddress"],
    reason: ({ suppressionreason = "" }) => reasonOf(suppressionreason),
  },
  // Bounces have the SMTP code, unsubscribes the tags. Complaints have only the address and a time.
  mailgun: { address: ["address"], reason: ({ code, tags }) => mailgunReason(code, tags) },
};

/** A map, because the words come from outside: an object has `constructor` and others without an entry. */
const reasonWords: ReadonlyMap<string, SuppressionReason> = new Map([
  ["hardbounce", "hard_bounce"],
  ["bounce", "hard_bounce"],
  ["complaint", "complaint"],
  ["spamcomplaint", "complaint"],
  ["manual", "manual"],
  ["manualsuppression", "manual"],
]);

function reasonOf(word: string): SuppressionReason | undefined {
  return reasonWords.get(columnName(word));
}

function mailgunReason(code: string | undefined, tags: string | undefined): SuppressionReason | undefined {
  if (code !== undefined) return "hard_bounce";
  return tags === undefined ? undefined : "manual";
}

/** An unknown word is a problem here, because the file is the user's own. A service may add words, which must not keep an address out. */
function ownReason({ reason = "" }: ImportValues): SuppressionReason | { problem: string } | undefined {
  if (reason === "") return undefined;
  const known = reasonOf(reason);
  return known ?? { problem: "has a reason that is not hard_bounce, complaint or manual" };
}

/** Exports of one service spell `Email Address`, `email_address` and `EmailAddress`. */
export function columnName(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

export function hasAddressColumn(source: FileSource, names: readonly string[]): boolean {
  return sources[source].address.some((name) => names.includes(name));
}

export function addressColumnOf(source: FileSource): string {
  return sources[source].address[0] ?? "";
}

const maxNoteLength = 500;

/** `otherwise` is the reason of a record that has none of its own. */
export function toImportEntry(
  source: FileSource,
  values: ImportValues,
  otherwise: SuppressionReason,
): ImportEntry | { problem: string } {
  const text = sources[source].address.map((name) => values[name]).find((value) => value !== undefined && value !== "");
  if (text === undefined) return { problem: "has no address" };
  const address = parseAddress(text);
  if ("problem" in address) return address;
  const reason = sources[source].reason(values) ?? otherwise;
  if (typeof reason !== "string") return reason;
  const note = source === "csv" ? noteOf(values) : undefined;
  return { email: address.key, reason, note };
}

function noteOf({ note = "" }: ImportValues): string | undefined {
  const line = note.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").slice(0, maxNoteLength);
  return line === "" ? undefined : line;
}
