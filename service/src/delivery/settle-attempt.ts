import type { Queryable } from "../db/database.ts";
import { storeDkimStates } from "../domains/dkim-store.ts";
import { forgetTenant } from "../domains/tenant-store.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { allowDomain, denyDomain, holdIfWidespread, returnDomainProbe } from "../queue/denied-domains.ts";
import type { LastAcceptance } from "../queue/last-acceptance.ts";
import { slowDown } from "../queue/pacing.ts";
import { holdProvider, releaseProvider, returnProbe } from "../queue/provider-hold.ts";
import type { SentMove, Settlements } from "../queue/settle-sends.ts";
import { type AttemptResult, statusAfter } from "./decide-move.ts";

/** What settling needs; one per process. */
export interface SettlementDeps {
  db: Queryable;
  settlements: Settlements;
  lastAcceptance: LastAcceptance;
  log: Log;
  metrics: Metrics;
}

/**
 * Stores the result of an attempt. The effect on other sends comes first: if a send went back to the queue before the hold is
 * stored, a worker would claim it again immediately. Only a denial comes after the move, because an answer that comes late must not
 * deny a domain that works again. A send that is parked without the denial goes back to the queue at the next tick. Every step can be
 * repeated.
 */
export async function settleAttempt(
  deps: SettlementDeps,
  send: ClaimedSend,
  result: AttemptResult,
  { isProbe }: { isProbe: boolean },
): Promise<void> {
  if (result.hold !== undefined) await hold(deps, send, result.hold);
  if (result.isThrottled === true) await slowDown(deps.db, send.mode);
  if (result.isDomainRefused === true) {
    await storeDkimStates(deps.db, [{ domainName: send.fromDomain, isVerified: false }]);
  }
  if (result.outcome === "accepted") await deps.lastAcceptance.note();
  const goesBehindOthers = isProbe && result.hold !== undefined;
  if (send.isDomainProbe && result.denialCode === undefined) {
    await settleDomainProbe(deps, send, result, { goesBehindOthers });
  }
  const moved = await moveSend(deps, send, goesBehindOthers ? { ...result, move: behindOthers } : result);
  if (result.isTenantGone === true && moved === true) {
    await forgetTenant(deps.db, { accountId: send.accountId, domainName: send.fromDomain });
  }
  if (result.denialCode !== undefined) await deny(deps, send, { code: result.denialCode, isCurrent: moved === true });
  if (isProbe) await settleProbe(deps, send, result);
}

/** The next probe must be another send: the answer may concern this one alone. */
const behindOthers = { kind: "given-back", isLast: true } as const;

async function moveSend(
  { settlements, log, metrics }: SettlementDeps,
  send: ClaimedSend,
  result: AttemptResult,
): Promise<SentMove | boolean> {
  const moved = await storeMove(settlements, send, result);
  if (moved === "doubled") {
    metrics.sendsDoubled.inc();
    log.error({ send_id: send.id, account_id: send.accountId, attempt: send.attempt }, "delivery.doubled");
  }
  const status = statusAfter[result.move.kind];
  const isFinal = status !== "queued" && status !== "processing";
  if (isFinal && (moved === true || moved === "sent")) metrics.sendsSettled.inc({ status });
  return moved;
}

function storeMove(settlements: Settlements, send: ClaimedSend, result: AttemptResult): Promise<SentMove | boolean> {
  const { outcome, requestId, detail, move } = result;
  const { id: sendId, attempt, attemptedAt: startedAt, hasWebhooks } = send;
  const made = { sendId, attempt, startedAt, hasWebhooks, outcome, requestId, detail };
  switch (move.kind) {
    case "sent":
      return settlements.markSent({ ...made, outcome: "accepted", providerMessageId: move.providerMessageId });
    case "failed":
      return settlements.markFailed({ ...made, code: move.code, message: move.message });
    case "suppressed":
      return settlements.markSuppressed(made);
    case "later":
      return settlements.retryLater({
        ...made,
        delaySeconds: move.delaySeconds,
        usesRetryWindow: move.usesRetryWindow,
      });
    case "given-back":
      return settlements.giveBack({ ...made, isLast: move.isLast === true });
    case "parked":
      return settlements.parkDenied(made);
    case "in-doubt":
      return settlements.markInDoubt(made);
  }
}

async function hold({ db, log }: SettlementDeps, send: ClaimedSend, reason: NonNullable<AttemptResult["hold"]>) {
  if (await holdProvider(db, send.mode, reason)) log.error({ mode: send.mode, reason }, "provider.held");
}

/** The check for a widespread cause does not depend on the rest: it may have failed after the denial was stored. */
async function deny(
  { db, log }: SettlementDeps,
  send: ClaimedSend,
  { code, isCurrent }: { code: string; isCurrent: boolean },
): Promise<void> {
  const { accountId, fromDomain: domainName } = send;
  if (isCurrent && (await denyDomain(db, { accountId, domainName }, code))) {
    log.error({ account_id: accountId, domain: domainName, code }, "domain.denied");
  }
  if (await holdIfWidespread(db, send.mode)) log.error({ mode: send.mode, reason: "operator" }, "provider.held");
}

/**
 * Only an accepted probe ends the denial. One that SES refused for its content, or that was not submitted, proves nothing, and one that
 * goes behind the other sends of the queue may take hours.
 */
async function settleDomainProbe(
  { db, log }: SettlementDeps,
  send: ClaimedSend,
  { outcome }: AttemptResult,
  { goesBehindOthers }: { goesBehindOthers: boolean },
) {
  const { accountId, fromDomain: domainName } = send;
  if (outcome === "refused" || outcome === "returned" || goesBehindOthers) {
    return returnDomainProbe(db, send.id, { accountId, domainName });
  }
  const allowed = outcome === "accepted" ? await allowDomain(db, { accountId, domainName }) : undefined;
  if (allowed === undefined) return;
  const facts = { account_id: accountId, domain: domainName, denied_seconds: Math.round(allowed.deniedSeconds) };
  log.info(facts, "domain.allowed");
}

/**
 * A provider that accepts or refuses a send works again. A probe that was not submitted proves nothing, and neither does one whose
 * domain is denied: the next probe, of another domain, need not wait a minute.
 */
async function settleProbe(
  { db, log }: SettlementDeps,
  send: ClaimedSend,
  { outcome, denialCode }: AttemptResult,
): Promise<void> {
  if (outcome === "returned" || denialCode !== undefined) return returnProbe(db, send.mode);
  if (outcome !== "accepted" && outcome !== "refused") return;
  const released = await releaseProvider(db, send.mode);
  if (released === undefined) return;
  log.info({ mode: send.mode, held_seconds: Math.round(released.heldSeconds) }, "provider.released");
}
