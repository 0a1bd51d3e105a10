import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ListedAccount, listAccounts } from "../../accounts/list-accounts.ts";
import type { Database } from "../../db/database.ts";
import { printable, timeText } from "../../plain-text.ts";

const pageSize = 500;
/** Fixed widths, because the list is printed before all its rows are known. A longer email moves the name of its row. */
const widths = [36, 23, 9, 32];

/** Keeps a few pages in memory: it reads the next one when the output has taken the one before. */
export async function runListAccounts(db: Database): Promise<void> {
  try {
    await pipeline(Readable.from(lines(db)), process.stdout, { end: false });
  } catch (error) {
    // The program after the pipe, such as `head`, has read enough.
    if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) throw error;
  }
}

async function* lines(db: Database): AsyncGenerator<string> {
  yield line(["ID", "CREATED", "STATE", "EMAIL", "NAME"]);
  for (let after: string | undefined; ; ) {
    const page = await listAccounts(db, { after, limit: pageSize });
    if (page.length > 0) yield page.map(accountLine).join("");
    if (page.length < pageSize) return;
    after = page.at(-1)?.id;
  }
}

function accountLine(account: ListedAccount): string {
  const { id, createdAt, email, name } = account;
  return line([id, timeText(createdAt), stateOf(account), email ?? "(no user)", name]);
}

function stateOf({ isSuspended, isOnHold, isOnTrial, move }: ListedAccount): string {
  if (move !== null) return move;
  if (isSuspended) return "suspended";
  if (isOnHold) return "on hold";
  return isOnTrial ? "on trial" : "active";
}

function line(cells: string[]): string {
  const padded = cells.map((cell, column) => printable(cell).padEnd(widths[column] ?? 0));
  return `${padded.join("  ").trimEnd()}\n`;
}
