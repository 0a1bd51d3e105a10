import type { Queryable } from "../db/database.ts";
import { storeDkimStates } from "../domains/verification-store.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { slowDown } from "../queue/pacing.ts";
import { holdProvider, releaseProvider, returnProbe } from "../queue/provider-hold.ts";
import type { SentMove } from "../queue/settle-sends.ts";
import type { Settlements } from "../queue/settlement-batches.ts";
import { type Delivery, statusAfter } from "./delivery.ts";

/** What settling needs; made once per process. */
export interface SettlementDeps {
  db: Queryable;
  settlements: Settlements;
  log: Log;
  metrics: Metrics;
}

/**
 * Writes down what became of a claimed send. What the answer means for all others comes first, so that a send which is
 * given back under a hold is not claimed again at once. Every part may be repeated.
 */
export async function settleAttempt(
  deps: SettlementDeps,
  send: ClaimedSend,
  delivery: Delivery,
  { isProbe }: { isProbe: boolean },
): Promise<void> {
  if (delivery.hold !== undefined) await hold(deps, send, delivery.hold);
  if (delivery.isThrottled === true) await slowDown(deps.db, send.mode);
  if (delivery.isDomainRefused === true) {
    await storeDkimStates(deps.db, [{ domainName: send.fromDomain, isVerified: false }]);
  }
  await moveSend(deps, send, isProbe && delivery.hold !== undefined ? { ...delivery, move: aside } : delivery);
  if (isProbe) await settleProbe(deps, send, delivery);
}

/** The next probe must be another send: what holds the provider may be about this one alone. */
const aside = { kind: "given-back", isLast: true } as const;

async function moveSend(
  { settlements, log, metrics }: SettlementDeps,
  send: ClaimedSend,
  delivery: Delivery,
): Promise<void> {
  const moved = await settleByName(settlements, send, delivery);
  if (moved === "doubled") {
    metrics.sendsDoubled.inc();
    log.error({ send_id: send.id, attempt: send.attempt }, "delivery.doubled");
  }
  const status = statusAfter[delivery.move.kind];
  const isFinal = status !== "queued" && status !== "processing";
  if (isFinal && (moved === true || moved === "sent")) metrics.sendsSettled.inc({ status });
}

function settleByName(settlements: Settlements, send: ClaimedSend, delivery: Delivery): Promise<SentMove | boolean> {
  const { outcome, requestId, detail, move } = delivery;
  const made = { sendId: send.id, attempt: send.attempt, startedAt: send.attemptedAt, outcome, requestId, detail };
  switch (move.kind) {
    case "sent":
      return settlements.markSent({ ...made, outcome: "accepted", providerMessageId: move.providerMessageId });
    case "failed":
      return settlements.markFailed({ ...made, code: move.code, message: move.message });
    case "suppressed":
      return settlements.markSuppressed(made);
    case "later":
      return settlements.retryLater({ ...made, delaySeconds: move.delaySeconds, counts: move.counts });
    case "given-back":
      return settlements.giveBack({ ...made, isLast: move.isLast === true });
    case "in-doubt":
      return settlements.leaveInDoubt(made);
  }
}

async function hold({ db, log }: SettlementDeps, send: ClaimedSend, reason: NonNullable<Delivery["hold"]>) {
  if (await holdProvider(db, send.mode, reason)) log.error({ mode: send.mode, reason }, "provider.held");
}

/** A provider that takes or refuses a send is there again. One that was not asked has told nothing. */
async function settleProbe({ db, log }: SettlementDeps, send: ClaimedSend, { outcome }: Delivery): Promise<void> {
  if (outcome === "returned") return returnProbe(db, send.mode);
  if (outcome !== "accepted" && outcome !== "refused") return;
  const released = await releaseProvider(db, send.mode);
  if (released === undefined) return;
  log.info({ mode: send.mode, held_seconds: Math.round(released.heldSeconds) }, "provider.released");
}
