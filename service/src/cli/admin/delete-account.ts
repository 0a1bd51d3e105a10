import { setTimeout as sleep } from "node:timers/promises";
import { type Actor, commandLineActor } from "../../actor.ts";
import {
  type AccountDeletion,
  findDeletion,
  requestDeletion,
  startPurge,
  undoDeletion,
} from "../../data-rights/deletion-store.ts";
import { purgeAccount } from "../../data-rights/purge-account.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { aligned, amountText, countText, say, timeText } from "../../plain-text.ts";
import { cancelSends } from "../../queue/cancel-sends.ts";
import { countQueued } from "../../queue/queued-of-account.ts";
import { getAccountByIdOrEmail, isUuid } from "../find-account.ts";

export interface DeleteAccountOptions {
  undo?: boolean;
}

const message = "The operator deletes the account of this send.";
/** A batch skips sends that another process has locked. */
const maxPasses = 20;

/** Marks the account; two days later the same command purges it. */
export async function runDeleteAccount(
  db: Database,
  account: string,
  { undo = false }: DeleteAccountOptions,
): Promise<void> {
  const actor = commandLineActor();
  const deletion = isUuid(account) ? await findDeletion(db, account) : undefined;
  if (deletion?.finishedAt != null) return say(purgedText(deletion));
  const { id, name } = await getAccountByIdOrEmail(db, account);
  if (undo) return undoAndSay(db, id, name, actor);
  const isNew = await requestDeletion(db, id, actor);
  const left = await cancelAll(db, id, actor);
  const requested = await findDeletion(db, id);
  if (requested === undefined) throw new AppError("CONFLICT", "The deletion was undone just now.");
  if (isNew || !requested.isDue) return say(markedText(name, requested, left));
  if (left > 0) throw new AppError("CONFLICT", `${leftText(left)} Run the command again later.`);
  if (!(await startPurge(db, id))) {
    throw new AppError(
      "CONFLICT",
      "The deletion was undone just now, or the account is moving, or moved to another cell less than 40 days ago: SES still reports about its mail to this cell.",
    );
  }
  await purgeAccount(db, id, actor, printProgress());
  const purged = await findDeletion(db, id);
  if (purged !== undefined) say(purgedText(purged));
}

async function undoAndSay(db: Database, id: string, name: string, actor: Actor): Promise<void> {
  if (await undoDeletion(db, id, actor)) {
    return say(`${name} is no longer marked for deletion. Its cancelled mail stays cancelled.`);
  }
  throw new AppError("CONFLICT", "The account is not marked for deletion, or its data is being deleted already.");
}

/** Returns the number of sends that are still on their way: a worker submits them, or the outcome is in doubt. */
async function cancelAll(db: Database, accountId: string, actor: Actor): Promise<number> {
  let left = 0;
  for (let pass = 0; pass < maxPasses; pass++) {
    const moved = await cancelSends(db, { accountId, message, actor });
    const counts = await countQueued(db, { accountId });
    left = counts.reduce((sum, { sends }) => sum + sends, 0);
    const isWaiting = counts.some(({ state }) => state !== "leased" && state !== "in-doubt");
    if (moved === 0 && !isWaiting) break;
    await sleep(50);
  }
  return left;
}

/** A line for each table, and for every 100,000 rows of a large one. */
function printProgress(): (table: string, rows: number) => void {
  let [current, printed] = ["", 0];
  return (table, rows) => {
    if (table === current && rows - printed < 100_000) return;
    [current, printed] = [table, rows];
    say(`${table} …`);
  };
}

const leftText = (left: number) =>
  `A worker is submitting ${amountText(left, "send")} of this account, or the outcome is in doubt.`;

function markedText(name: string, { purgeAt }: AccountDeletion, left: number): string {
  return [
    `${name} is marked for deletion. Its keys and log-ins are refused, and its queued mail is cancelled.`,
    ...(left === 0 ? [] : [leftText(left)]),
    `To delete its data, run the command again after ${timeText(purgeAt)}. To undo until then: add --undo.`,
  ].join("\n");
}

function purgedText({ finishedAt, rows }: AccountDeletion): string {
  const lines = Object.entries(rows)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([table, count]) => [table, countText(count)]);
  return [
    `The account was deleted at ${timeText(finishedAt ?? "")}. Workers remove its domains at SES.`,
    aligned([["TABLE", "ROWS DELETED"], ...lines], { indent: "  ", right: [1] }),
  ].join("\n");
}
