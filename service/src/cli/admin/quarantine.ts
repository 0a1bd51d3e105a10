import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { findQuarantined, listQuarantined, replayQuarantined } from "../../feedback/quarantine-store.ts";
import { aligned, amountText, say, timeText } from "../../plain-text.ts";

const maxListed = 50;

export async function runList(db: Database): Promise<void> {
  const entries = await listQuarantined(db, { limit: maxListed });
  if (entries.length === 0) return say("The quarantine is empty.");
  const rows = entries.map(({ id, receivedAt, reason, tries, nextTryAt, length }) => [
    `${id}`,
    timeText(receivedAt),
    reason,
    `${tries}`,
    nextTryAt === null ? "none" : timeText(nextTryAt),
    `${length}`,
  ]);
  say(aligned([["ID", "RECEIVED", "REASON", "TRIES", "NEXT TRY", "LENGTH"], ...rows], { right: [0, 3, 5] }));
}

export async function runShow(db: Database, id: number): Promise<void> {
  const entry = await findQuarantined(db, id);
  if (entry === undefined) throw notFound(id);
  const { receivedAt, reason, tries, nextTryAt, raw } = entry;
  const rows = [
    ["received", timeText(receivedAt)],
    ["reason", reason],
    ["tries", `${tries}, ${nextTryAt === null ? "no further try" : `next at ${timeText(nextTryAt)}`}`],
  ];
  say(`${aligned(rows)}\n\n${readable(raw)}`);
}

/** SNS wraps the SES message as a JSON string inside its own JSON. */
function readable(raw: string): string {
  try {
    const parsed: unknown = JSON.parse(raw);
    return JSON.stringify(parsed, (key, value: unknown) => (key === "Message" ? parseNested(value) : value), 2);
  } catch {
    return raw;
  }
}

function parseNested(value: unknown): unknown {
  try {
    return typeof value === "string" ? (JSON.parse(value) as unknown) : value;
  } catch {
    return value;
  }
}

export async function runReplay(db: Database, id: number | undefined): Promise<void> {
  const due = await replayQuarantined(db, id);
  if (due === 0 && id !== undefined) throw notFound(id);
  if (due === 0) return say("The quarantine is empty.");
  say(
    `A worker tries ${amountText(due, "notification")} again within ten seconds. Then run \`postern admin quarantine list\` to see which remain.`,
  );
}

function notFound(id: number): AppError {
  return new AppError("NOT_FOUND", `There is no entry ${id} in the quarantine. A worker may have applied it since.`);
}
