import { setTimeout as sleep } from "node:timers/promises";
import type { Actor } from "../actor.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { amountText } from "../plain-text.ts";
import { cancelListed, listUnfinished, pageOfRecipient } from "../queue/cancel-listed.ts";
import type { SecretPair } from "../secret.ts";
import { addressPatterns } from "./address-patterns.ts";
import { type ErasureScope, erasePage } from "./erase-page.ts";
import { eraseSends, findSendPage } from "./erase-sends.ts";
import { type ErasedTable, erasedTables, firstOfType } from "./erased-columns.ts";
import { type Erasure, finishErasure, hashOfAddress, moveToStep, startErasure } from "./erasure-store.ts";
import { requireNoMove } from "./require-no-move.ts";
import { waitForTransactions, waitForWebhooks } from "./wait-for-writers.ts";

export interface EraseAddress {
  address: string;
  /** Undefined: in all accounts. */
  accountId: string | undefined;
  contentKeys: SecretPair;
  actor: Actor;
  /** How long to wait for sends that a worker is submitting or that are in doubt. */
  waitSeconds: number;
  onProgress?: (step: string, read: number, erased: number) => void;
}

const message = "The operator erased an address of this send while it was queued.";
const firstId = firstOfType.uuid;
const pollMs = 500;

/**
 * Erases an address from the record, unless an account is being moved to another cell at the moment: its rows are in both cells, and some
 * are in neither record. Every commit is small, and the run continues where it was interrupted:
 *
 * 1. Cancel the queued and scheduled sends to the address.
 * 2. `sends`: replace it, mark the send, delete the content. A send that is not final is cancelled or awaited first.
 * 3. Wait for statements that may have read an unmarked send. From here on feedback cannot write the address back.
 * 4. All other tables, in their order.
 * 5. Say so in the audit of the accounts.
 */
export async function eraseAddress(db: Database, options: EraseAddress): Promise<Erasure> {
  const { accountId, contentKeys, actor, onProgress = () => undefined } = options;
  await requireNoMove(db, accountId);
  const patterns = addressPatterns(options.address);
  const addressHash = await hashOfAddress(db, contentKeys, patterns.key);
  const erasure = await startErasure(db, { addressHash, accountId }, { step: "sends", position: [firstId] });
  const scope = { ...patterns, erasureId: erasure.id, accountId };
  let { step, position } = erasure;
  if (step === "sends") {
    await cancelQueued(db, scope, actor);
    await eraseFromSends(db, scope, position, options);
    [step, position] = await continueWith(db, erasure.id, erasedTables[0]);
  }
  await waitForTransactions(db);
  const start = erasedTables.findIndex((table) => stepOf(table) === step);
  for (const [index, table] of erasedTables.entries()) {
    if (index < start) continue;
    if (table.table === "notifications") await waitForTransactions(db);
    if (table.table === "webhook_attempts") await waitForWebhooks(db);
    await eraseFromTable(db, scope, table, position, onProgress);
    [step, position] = await continueWith(db, erasure.id, erasedTables[index + 1]);
  }
  await finishErasure(db, erasure.id, actor);
  return erasure;
}

const stepOf = ({ table, step = table }: ErasedTable) => step;

async function continueWith(db: Database, id: string, table: ErasedTable | undefined): Promise<[string, string[]]> {
  if (table === undefined) return ["", []];
  const position = table.key.map(([, type]) => firstOfType[type]);
  await moveToStep(db, id, stepOf(table), position);
  return [stepOf(table), position];
}

async function cancelQueued(db: Database, scope: ErasureScope, actor: Actor): Promise<void> {
  for (const table of ["scheduled_sends", "send_queue"] as const) {
    for (let after: string | null = firstId; after !== null; ) {
      const filter: { recipient: string; accountId: string | undefined; after: string } = {
        recipient: scope.key,
        accountId: scope.accountId,
        after,
      };
      const { last, sendIds } = await pageOfRecipient(db, table, filter);
      if (sendIds.length > 0) await cancelListed(db, { sendIds, message, actor });
      after = last;
    }
  }
}

async function eraseFromSends(
  db: Database,
  scope: ErasureScope,
  from: string[],
  { actor, waitSeconds, onProgress = () => undefined }: EraseAddress,
): Promise<void> {
  let [read, erased] = [0, 0];
  for (let after = from; ; ) {
    const page = await findSendPage(db, scope, after);
    if (page.position === null) return onProgress("sends", read, erased);
    for (let sendIds = page.sendIds; ; ) {
      await endUnfinished(db, sendIds, actor, waitSeconds);
      const done = await eraseSends(db, scope, { sendIds, position: page.position });
      erased += done.erased;
      sendIds = done.left;
      if (sendIds.length === 0) break;
      await sleep(pollMs);
    }
    read += page.read;
    onProgress("sends", read, erased);
    after = page.position;
  }
}

/** Cancels what no worker has, and waits for the rest: the provider may have it. */
async function endUnfinished(db: Database, sendIds: string[], actor: Actor, waitSeconds: number): Promise<void> {
  const until = performance.now() + waitSeconds * 1000;
  for (let unfinished = await listUnfinished(db, sendIds); unfinished.length > 0; ) {
    await cancelListed(db, { sendIds: unfinished, message, actor });
    unfinished = await listUnfinished(db, unfinished);
    if (unfinished.length === 0) return;
    if (performance.now() > until) {
      throw new AppError(
        "CONFLICT",
        `A worker is submitting ${amountText(unfinished.length, "send")} to this address, or the outcome is in doubt. ` +
          "What was erased so far stays erased. Run the command again later: it continues.",
      );
    }
    await sleep(pollMs);
  }
}

async function eraseFromTable(
  db: Database,
  scope: ErasureScope,
  table: ErasedTable,
  from: string[],
  onProgress: NonNullable<EraseAddress["onProgress"]>,
): Promise<void> {
  let [read, erased] = [0, 0];
  for (let after: string[] | null = from; after !== null; ) {
    const page = await erasePage(db, scope, table, after);
    read += page.read;
    erased += page.erased;
    onProgress(stepOf(table), read, erased);
    after = page.position;
  }
}
