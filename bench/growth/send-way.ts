import type { Database } from "../../service/src/db/database.ts";
import { applyFeedback } from "../../service/src/feedback/apply-feedback.ts";
import type { Feedback } from "../../service/src/provider/feedback.ts";
import { type ClaimedSend, claimSends } from "../../service/src/queue/claim-sends.ts";
import { reserve } from "../../service/src/queue/pacing.ts";
import { ScanStart } from "../../service/src/queue/scan-start.ts";
import { markSent } from "../../service/src/queue/settle-sends.ts";
import { attemptOf } from "../../service/test/send-builders.ts";
import { type Cost, costOf } from "./meter.ts";
import { openAcceptance } from "./new-sends.ts";
import type { World } from "./world.ts";

/** Of one round trip. */
const setSize = 32;

export type WayCosts = Record<"accept" | "claim" | "settle" | "feedback", Cost>;

/** The whole way of so many sends, one step after the other, by the functions that the processes use. Costs are for a send. */
export async function costOfWay(api: Database, worker: Database, world: World, count: number): Promise<WayCosts> {
  const accept = await openAcceptance(api, world);
  const claimed: ClaimedSend[] = [];
  const sets = Array.from({ length: Math.ceil(count / setSize) });
  return {
    accept: await costOf(api, count, async () => {
      for (const [set] of sets.entries()) await accept(Math.min(setSize, count - set * setSize));
    }),
    claim: await costOf(worker, count, () => claimAll(worker, count, claimed)),
    settle: await costOf(worker, count, async () => {
      for (const [set] of sets.entries()) await settle(worker, claimed.slice(set * setSize, (set + 1) * setSize));
    }),
    feedback: await costOf(worker, count, async () => {
      for (const [set] of sets.entries()) await tell(worker, claimed.slice(set * setSize, (set + 1) * setSize));
    }),
  };
}

async function claimAll(worker: Database, count: number, claimed: ClaimedSend[]): Promise<void> {
  const scanStart = new ScanStart();
  while (claimed.length < count) {
    const { grant, mark } = await reserve(worker, { mode: "live", wanted: setSize, scanStart: scanStart.mark });
    if (mark !== undefined) scanStart.advance(mark);
    if (grant === undefined) throw new Error(`${claimed.length} of ${count} sends could be claimed`);
    if (grant.recipients === 0) continue;
    const { sends } = await claimSends(worker, {
      mode: "live",
      maxSends: setSize,
      maxRecipients: setSize * 2,
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

/** An event for each recipient; one send in fifty bounces. */
async function tell(worker: Database, sends: ClaimedSend[]): Promise<void> {
  const at = new Date().toISOString();
  const told = sends.flatMap((send) =>
    send.recipients.map((recipient, place): Feedback => {
      const about = {
        sendId: send.id,
        attempt: send.attempt,
        providerMessageId: messageIdOf(send),
        submittedAt: at,
        at,
        recipients: [recipient],
        feedbackId: `f-${place}-${send.id}`,
      };
      if (place > 0 || Math.random() > 1 / 50) return { ...about, kind: "delivery" };
      return { ...about, kind: "bounce", bounce: { type: "Permanent", subtype: "General" } };
    }),
  );
  const { newEvents } = await applyFeedback(worker, told, Date.now());
  if (newEvents !== told.length) throw new Error(`${newEvents} of ${told.length} events were new`);
}

function messageIdOf({ id }: ClaimedSend): string {
  return `0107${id}-000000`;
}
