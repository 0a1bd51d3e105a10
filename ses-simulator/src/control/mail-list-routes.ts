import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError } from "../http/control-error.ts";
import { type LedgerRecord, recipientsOf } from "../ledger/ledger-record.ts";
import type { OtherMail, OtherMails, OtherMailsQuery } from "../mail-view/other-mails.ts";
import type { Simulation } from "../simulation.ts";
import { findRecords, limitOf } from "./ledger-routes.ts";

/** A search reads at most this many of the newest mails of each kind, which the ledger usually has in memory: the page repeats it. */
const searched = 4000;
const maxWords = 10;

interface ListedMail extends Pick<LedgerRecord, "messageId" | "acceptedAt" | "subject" | "destination"> {
  /** Undefined for a mail that SES accepted. */
  label: string | undefined;
  eventTypes: string[];
}

/**
 * Lists the newest mails first, those that SES accepted and those of `otherMails`, for the mail view. `search=` selects mails in which
 * sender, recipients and subject together contain every word, among the newest `searched`. `before=` continues the list with the
 * `next` of the previous answer.
 */
export async function listMails(simulation: Simulation, { query }: Call): Promise<Reply> {
  const { otherMails } = simulation.settings;
  const limit = limitOf(query);
  const words = wordsOf(query.get("search") ?? "");
  const [beforeAccepted = "", beforeOther = ""] = (query.get("before") ?? "").split(",");
  const accepted = findRecords(simulation, {
    before: beforeAccepted || undefined,
    limit,
    matches: (record) => containsWords(record, words),
    ...(words.length > 0 && { newest: searched }),
  });
  const others = await listOthers(otherMails, { limit, before: beforeOther || undefined, words, searched });
  const mails = [...accepted.map(fromRecord), ...others.map((mail) => fromOther(mail, otherMails?.label))]
    .toSorted((one, other) => other.acceptedAt.localeCompare(one.acceptedAt))
    .slice(0, limit);
  const lastAccepted = mails.findLast(({ label }) => label === undefined)?.messageId ?? beforeAccepted;
  const lastOther = mails.findLast(({ label }) => label !== undefined)?.messageId ?? beforeOther;
  const next = mails.length < limit ? undefined : `${lastAccepted},${lastOther}`;
  return json(200, { accepted: simulation.ledger.size, searched, mails, next });
}

function wordsOf(search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return words.slice(0, maxWords);
}

function containsWords(record: LedgerRecord, words: string[]): boolean {
  if (words.length === 0) return true;
  const text = [record.from, ...recipientsOf(record), record.subject].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A failure affects the page only until its next request. */
async function listOthers(source: OtherMails | undefined, query: OtherMailsQuery): Promise<OtherMail[]> {
  try {
    return (await source?.list(query)) ?? [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ControlError(503, `The ${source?.label} mails cannot be read: ${reason}`);
  }
}

function fromRecord({ messageId, acceptedAt, subject, destination, events }: LedgerRecord): ListedMail {
  const eventTypes = events.map(({ details }) => details.type);
  return { messageId, acceptedAt, subject, destination, label: undefined, eventTypes };
}

function fromOther({ id, acceptedAt, subject, destination, events }: OtherMail, label = "other"): ListedMail {
  return { messageId: id, acceptedAt, subject, destination, label, eventTypes: events.map(({ type }) => type) };
}
