import type { Database } from "../../service/src/db/database.ts";
import { applyFeedback } from "../../service/src/feedback/apply-feedback.ts";
import type { Feedback } from "../../service/src/provider/feedback.ts";
import { type ClaimedSend, claimSends } from "../../service/src/queue/claim-sends.ts";
import { reserve } from "../../service/src/queue/pacing.ts";
import { ScanStart } from "../../service/src/queue/scan-start.ts";
import { markSent } from "../../service/src/queue/settle-sends.ts";
import { attemptOf } from "../../service/test/send-builders.ts";
import type { Dataset } from "./dataset.ts";
import { type Cost, costOf } from "./meter.ts";
import { openAcceptance } from "./new-sends.ts";

/** Sends per round trip. */
const batchSize = 32;

export type StepCosts = Record<"accept" | "claim" | "settle" | "feedback", Cost>;

/** Runs `count` sends through all steps, one step after the other, with the functions that the processes use. Costs are per send. */
export async function costOfSendSteps(
  api: Database,
  worker: Database,
  dataset: Dataset,
  count: number,
): Promise<StepCosts> {
  const accept = await openAcceptance(api, dataset);
  const claimed: ClaimedSend[] = [];
  const batches = Array.from({ length: Math.ceil(count / batchSize) });
  return {
    accept: await costOf(api, count, async () => {
      for (const [batch] of batches.entries()) await accept(Math.min(batchSize, count - batch * batchSize));
    }),
    claim: await costOf(worker, count, () => claimAll(worker, count, claimed)),
    settle: await costOf(worker, count, async () => {
      for (const [batch] of batches.entries())
        await settle(worker, claimed.slice(batch * batchSize, (batch + 1) * batchSize));
    }),
    feedback: await costOf(worker, count, async () => {
      for (const [batch] of batches.entries())
        await report(worker, claimed.slice(batch * batchSize, (batch + 1) * batchSize));
    }),
  };
}

async function claimAll(worker: Database, count: number, claimed: ClaimedSend[]): Promise<void> {
  const scanStart = new ScanStart();
  while (claimed.length < count) {
    const { grant, first } = await reserve(worker, { mode: "live", wanted: batchSize, scanFrom: scanStart.next() });
    if (first !== undefined) scanStart.advance(first);
    if (grant === undefined) throw new Error(`only ${claimed.length} of ${count} sends could be claimed`);
    if (grant.recipients === 0) continue;
    const { sends } = await claimSends(worker, {
      mode: "live",
      maxSends: batchSize,
      maxRecipients: batchSize * 2,
      fromFairAt: grant.fromFairAt,
      isProbe: false,
    });
    claimed.push(...sends);
  }
}

async function settle(worker: Database, sends: ClaimedSend[]): Promise<void> {
  const moves = await markSent(
    worker,
    sends.map((send) => ({
      ...attemptOf(send),
      outcome: "accepted" as const,
      providerMessageId: messageIdOf(send),
      requestId: `r-${send.id}`,
    })),
  );
  if (moves.some((move) => move !== "sent")) throw new Error("a send did not become sent");
}

/** Applies an event for each recipient; one send in fifty bounces. */
async function report(worker: Database, sends: ClaimedSend[]): Promise<void> {
  const at = new Date().toISOString();
  const feedback = sends.flatMap((send) =>
    send.recipients.map((recipient, index): Feedback => {
      const about = {
        sendId: send.id,
        attempt: send.attempt,
        providerMessageId: messageIdOf(send),
        submittedAt: at,
        at,
        recipients: [recipient],
        feedbackId: `f-${index}-${send.id}`,
      };
      if (index > 0 || Math.random() > 1 / 50) return { ...about, kind: "delivery" };
      return { ...about, kind: "bounce", bounce: { type: "Permanent", subtype: "General" } };
    }),
  );
  const { newEvents } = await applyFeedback(worker, feedback, Date.now());
  if (newEvents !== feedback.length) throw new Error(`${newEvents} of ${feedback.length} events were new`);
}

function messageIdOf({ id }: ClaimedSend): string {
  return `0107${id}-000000`;
}
