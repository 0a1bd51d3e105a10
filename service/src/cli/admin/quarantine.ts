import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { findQuarantined, listQuarantined, replayQuarantined } from "../../feedback/quarantine-store.ts";
import { aligned, amountText, say, timeText } from "../../plain-text.ts";
import { misused, readCommandLine } from "../command-options.ts";

const help = `Usage: postern admin quarantine list           the newest 50 notifications that nobody could use
       postern admin quarantine show ID        one of them, as it came; it may show addresses
       postern admin quarantine replay ID      let a worker try it once more, within ten seconds
       postern admin quarantine replay --all   the same for all of them`;

const listedAtMost = 50;

export async function runQuarantine(db: Database, args: string[]): Promise<void> {
  const { options, words } = readCommandLine(args, { all: { type: "boolean" } }, help);
  const [verb, id, ...rest] = words;
  if (rest.length > 0) throw misused(`"${rest[0]}" is one word too many.`, help);
  switch (verb) {
    case "list":
      return list(db);
    case "show":
      return show(db, readId(id));
    case "replay":
      if (options.all === true && id !== undefined) throw misused("Give an id or --all, not both.", help);
      return replay(db, options.all === true ? undefined : readId(id));
    default:
      throw misused(verb === undefined ? "Say what to do." : `There is no "quarantine ${verb}".`, help);
  }
}

function readId(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw misused(text === undefined ? "The id is missing." : `"${text}" is not the id of an entry.`, help);
}

async function list(db: Database): Promise<void> {
  const entries = await listQuarantined(db, listedAtMost);
  if (entries.length === 0) return say("The quarantine is empty.");
  const rows = entries.map(({ id, receivedAt, reason, tries, nextTryAt, length }) => [
    `${id}`,
    timeText(receivedAt),
    reason,
    `${tries}`,
    nextTryAt === null ? "no more" : timeText(nextTryAt),
    `${length}`,
  ]);
  say(aligned([["ID", "RECEIVED", "REASON", "TRIES", "NEXT TRY", "LENGTH"], ...rows], { right: [0, 3, 5] }));
}

async function show(db: Database, id: number): Promise<void> {
  const entry = await findQuarantined(db, id);
  if (entry === undefined) throw notThere(id);
  const { receivedAt, reason, tries, nextTryAt, raw } = entry;
  const rows = [
    ["received", timeText(receivedAt)],
    ["reason", reason],
    ["tries", `${tries}, ${nextTryAt === null ? "no more" : `next at ${timeText(nextTryAt)}`}`],
  ];
  say(`${aligned(rows)}\n\n${readable(raw)}`);
}

/** The message of SES lies as text in the envelope of SNS. */
function readable(raw: string): string {
  try {
    const parsed: unknown = JSON.parse(raw);
    return JSON.stringify(parsed, (key, value: unknown) => (key === "Message" ? unpacked(value) : value), 2);
  } catch {
    return raw;
  }
}

function unpacked(value: unknown): unknown {
  try {
    return typeof value === "string" ? (JSON.parse(value) as unknown) : value;
  } catch {
    return value;
  }
}

async function replay(db: Database, id: number | undefined): Promise<void> {
  const due = await replayQuarantined(db, id);
  if (due === 0 && id !== undefined) throw notThere(id);
  if (due === 0) return say("The quarantine is empty.");
  say(`A worker tries ${amountText(due, "notification")} within ten seconds; \`quarantine list\` shows what is left.`);
}

function notThere(id: number): AppError {
  return new AppError("NOT_FOUND", `There is no entry ${id} in the quarantine; it may have been applied by now.`);
}
