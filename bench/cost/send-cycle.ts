import type { Database } from "../../service/src/db/database.ts";
import type { ClaimedSend } from "../../service/src/queue/claim-sends.ts";
import { candidateOf } from "./cost-accounts.ts";
import type { Connections } from "./metered-connections.ts";
import type { Tree } from "./tree.ts";

export type Cycle = (size: number) => Promise<void>;

/**
 * One cycle accepts `size` sends without an idempotency key in one statement, claims them, settles them as accepted and applies their
 * Delivery events; then the same with a key. The queue is empty at its end, so every cycle finds the same state.
 */
export async function openCycle(tree: Tree, connections: Connections): Promise<Cycle> {
  const withoutKey = await openAcceptance(tree, connections["accept without a key"]);
  const withKey = await openAcceptance(tree, connections["accept with a key"]);
  const scanStart = new tree.ScanStart();
  let number = 0;

  async function deliver(size: number): Promise<void> {
    const sends = await claim(tree, connections.claim, scanStart, size);
    await settle(tree, connections.settle, sends);
    await report(tree, connections.feedback, sends);
  }

  return async (size) => {
    await withoutKey(number, size, false);
    await deliver(size);
    await withKey(number + size, size, true);
    await deliver(size);
    number += 2 * size;
  };
}

async function openAcceptance({ openDatabaseClock, createAcceptBatch }: Tree, db: Database) {
  const clock = await openDatabaseClock(db);
  const decide = createAcceptBatch(db, clock);
  return async (first: number, size: number, hasKey: boolean): Promise<void> => {
    const candidates = Array.from({ length: size }, (_, index) => candidateOf(first + index, clock.now(), hasKey));
    const decisions = await Promise.all(candidates.map(decide));
    const refused = decisions.find(({ kind }) => kind !== "stored");
    if (refused !== undefined) throw new Error(`a send was answered with ${refused.kind}`);
  };
}

async function claim(
  { reserve, claimSends }: Tree,
  db: Database,
  scanStart: InstanceType<Tree["ScanStart"]>,
  size: number,
): Promise<ClaimedSend[]> {
  const { grant, first } = await reserve(db, { mode: "live", wanted: size, scanFrom: scanStart.next() });
  if (first !== undefined) scanStart.advance(first);
  if (grant?.recipients !== size) throw new Error(`${grant?.recipients ?? 0} of ${size} sends were granted`);
  const { sends } = await claimSends(db, {
    mode: "live",
    maxSends: size,
    maxRecipients: size,
    fromFairAt: grant.fromFairAt,
    isProbe: false,
  });
  if (sends.length !== size) throw new Error(`${sends.length} of ${size} sends were claimed`);
  return sends;
}

async function settle({ markSent }: Tree, db: Database, sends: ClaimedSend[]): Promise<void> {
  const made = sends.map((send) => ({
    sendId: send.id,
    attempt: send.attempt,
    startedAt: send.attemptedAt,
    hasWebhooks: send.hasWebhooks,
    outcome: "accepted" as const,
    providerMessageId: messageIdOf(send),
    requestId: `r-${send.id}`,
  }));
  const moves = await markSent(db, made);
  if (moves.some((move) => move !== "sent")) throw new Error("a send did not become sent");
}

async function report({ applyFeedback }: Tree, db: Database, sends: ClaimedSend[]): Promise<void> {
  const at = new Date().toISOString();
  const feedback = sends.map((send) => ({
    kind: "delivery" as const,
    sendId: send.id,
    attempt: send.attempt,
    providerMessageId: messageIdOf(send),
    submittedAt: at,
    at,
    recipients: send.recipients,
    feedbackId: `f-${send.id}`,
  }));
  const { newEvents } = await applyFeedback(db, feedback, Date.now());
  if (newEvents !== feedback.length) throw new Error(`${newEvents} of ${feedback.length} events were new`);
}

/** As SES makes them: region, time of the submission in milliseconds, random digits. */
function messageIdOf({ id }: ClaimedSend): string {
  return `0107${id.replaceAll("-", "").slice(0, 12)}-${id}-000000`;
}
