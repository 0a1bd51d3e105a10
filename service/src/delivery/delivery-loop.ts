import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { untilWritten } from "../loops/until-written.ts";
import { WakeSignal } from "../loops/wake-signal.ts";
import type { Mode } from "../mode.ts";
import { type Claim, type ClaimedSend, type ClaimOptions, claimSends } from "../queue/claim-sends.ts";
import { type Grant, reserve, settleGrant } from "../queue/pacing.ts";
import { returnProbe, takeProbe } from "../queue/provider-hold.ts";
import { ScanStart } from "../queue/scan-start.ts";
import { ByteBudget } from "./byte-budget.ts";
import type { ClaimWatch } from "./claim-watch.ts";
import type { AttemptResult } from "./decide-move.ts";
import { type SettlementDeps, settleAttempt } from "./settle-attempt.ts";
import { type DeliveryDeps, submitSend } from "./submit-send.ts";
import { traceClaim, traceSettle, traceSubmit } from "./trace-delivery.ts";

interface DeliveryLoopOptions {
  db: Database;
  mode: Mode;
  /** How many sends are submitted at the same time. */
  slots: number;
  /** How many bytes of content are in memory at the same time. */
  maxBytes: number;
  deps: DeliveryDeps & SettlementDeps;
  /** Learns whether claims succeed. */
  claims?: ClaimWatch | undefined;
  /** Whether processes that queue a send wake this loop now. */
  hasHints?: () => boolean;
}

/** Without hints it is the delay of a new send; with them only that of a lost hint. `idle`: after nothing was claimed for a while. */
const pollMs = { withoutHints: 250, withHints: 1_000, idle: 3_000 };
const busyForMs = 10_000;
const backOffMs = 1_000;

const stopped: AttemptResult = { outcome: "returned", move: { kind: "given-back" }, detail: "the worker was stopped" };

/** Claims as many sends as it can start, and submits them as fast as the provider allows. Notifications only wake it earlier. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #scanStart = new ScanStart();
  readonly #bytes: ByteBudget;
  readonly #running = new Set<Promise<void>>();
  readonly #wakeSignal = new WakeSignal();
  readonly #stopping = new AbortController();
  /** Ready sends may be in the queue for which there was no slot or no bytes: the end of a submission is the time to claim again. */
  #mayLackRoom = true;
  #ended: Promise<void> = Promise.resolve();
  #probed: Promise<boolean> = Promise.resolve(false);

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    this.#bytes = new ByteBudget(options.maxBytes);
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Call when a send may be ready. */
  wake(): void {
    this.#wakeSignal.wake();
  }

  /** Stops claiming. Submissions in progress finish; a claimed send that has not started is given back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await Promise.allSettled([this.#ended, this.#probed]);
    await Promise.all(this.#running);
  }

  /** Claims once and waits until every claimed send is settled. Returns the number of sends, parked ones included. */
  async runOnce(): Promise<number> {
    const { claimed } = await this.#claim();
    await Promise.all(this.#running);
    return claimed;
  }

  /** While the provider is held, submits one send when a probe is due. Returns whether it did. */
  probe(): Promise<boolean> {
    this.#probed = this.#probe();
    return this.#probed;
  }

  async #probe(): Promise<boolean> {
    const { db, mode } = this.#options;
    if (this.#stopping.signal.aborted || !(await takeProbe(db, mode))) return false;
    const { sends, parked } = await this.#claimAndStart({
      maxSends: 1,
      maxRecipients: 1,
      fromFairAt: "-infinity",
      isProbe: true,
    });
    // The claimed send was parked, so nothing was submitted.
    if (parked > 0) await returnProbe(db, mode);
    return sends.length > 0;
  }

  async #run(): Promise<void> {
    const { mode, claims, hasHints } = this.#options;
    let isFailing = false;
    let claimedAt = performance.now();
    while (!this.#stopping.signal.aborted) {
      try {
        const { claimed, isQueueEmpty } = await this.#claim();
        isFailing = false;
        claims?.succeeded(mode, claimed);
        if (claimed > 0) claimedAt = performance.now();
        // A hint that came meanwhile ends the pause at once.
        if (claimed === 0 || isQueueEmpty)
          await this.#wakeSignal.sleep(pauseMs(hasHints?.() === true, performance.now() - claimedAt));
      } catch (err) {
        if (!isFailing) this.#options.deps.log.error({ err }, "delivery.claim-failed");
        isFailing = true;
        claims?.failed(mode, err);
        await sleep(backOffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }

  async #claim(): Promise<{ claimed: number; isQueueEmpty: boolean }> {
    const { db, slots } = this.#options;
    const free = slots - this.#running.size;
    this.#mayLackRoom = true;
    if (free <= 0 || !this.#bytes.hasRoom) return { claimed: 0, isQueueEmpty: false };
    const grant = await this.#waitForGrant(free);
    if (grant === undefined) {
      this.#mayLackRoom = false;
      return { claimed: 0, isQueueEmpty: true };
    }
    const { sends, parked } = await this.#claimAndStart({
      maxSends: grant.recipients,
      maxRecipients: grant.recipients,
      maxBytes: this.#bytes.free,
      isFirstOfAnySize: this.#bytes.isUnused,
      fromFairAt: grant.fromFairAt,
      isProbe: false,
    });
    await settleGrant(db, grant, recipientsToMail(sends));
    const claimed = sends.length + parked;
    this.#mayLackRoom = !grant.isLast || claimed < grant.recipients;
    return { claimed, isQueueEmpty: !this.#mayLackRoom };
  }

  /** Undefined when there is nothing to claim, or the worker stops. */
  async #waitForGrant(wanted: number): Promise<Grant | undefined> {
    const { db, mode } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const scanFrom = this.#scanStart.next();
      const { grant, first, scanMs } = await reserve(db, { mode, wanted, scanFrom });
      if (first !== undefined) this.#scanStart.advance(first);
      if (first !== undefined && scanFrom === "-infinity") this.#scanStart.scannedAll(scanMs);
      if (grant === undefined || grant.recipients > 0) return grant;
      await sleep(grant.waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #claimAndStart(claim: Omit<ClaimOptions, "mode">): Promise<Claim> {
    const { db, mode, deps } = this.#options;
    const claimedAt = deps.clock();
    // crash point: before-claim
    const claimed = await traceClaim(db, () => claimSends(db, { mode, ...claim }));
    for (const send of claimed.sends) this.#start(send, claimedAt, claim.isProbe);
    return claimed;
  }

  #start(send: ClaimedSend, claimedAt: number, isProbe: boolean): void {
    const bytes = (send.sealed?.length ?? 0) + (send.attachmentBytes ?? 0);
    this.#bytes.take(bytes);
    const delivery = this.#deliver(send, claimedAt, isProbe).finally(() => {
      this.#bytes.giveBack(bytes);
      this.#running.delete(delivery);
      // The end of a probe can end a hold of all mail.
      if (this.#mayLackRoom || isProbe) this.wake();
    });
    this.#running.add(delivery);
  }

  /** Never rejects. When a result cannot be stored, the send becomes in doubt at the end of its lease. */
  async #deliver(send: ClaimedSend, claimedAt: number, isProbe: boolean): Promise<void> {
    // crash point: after-claim
    const { deps } = this.#options;
    try {
      const isStopping = this.#stopping.signal.aborted;
      const result = isStopping ? stopped : await traceSubmit(send, () => submitSend(deps, send, claimedAt));
      const settle = () => traceSettle(send, result, () => settleAttempt(deps, send, result, { isProbe }));
      await untilWritten(settle, {
        onFailure: (err, tries) =>
          deps.log.error({ send_id: send.id, account_id: send.accountId, tries, err }, "delivery.not-settled-yet"),
      });
    } catch (err) {
      deps.log.error(
        { send_id: send.id, account_id: send.accountId, attempt: send.attempt, err },
        "delivery.settle-failed",
      );
    }
  }
}

function pauseMs(hasHints: boolean, sinceClaimMs: number): number {
  if (!hasHints) return pollMs.withoutHints;
  return sinceClaimMs < busyForMs ? pollMs.withHints : pollMs.idle;
}

/** Sends that are not submitted now use nothing of the pace. */
function recipientsToMail(sends: ClaimedSend[]): number {
  const submittable = sends.filter(({ domain }) => domain === "verified");
  return submittable.reduce((sum, { recipients }) => sum + recipients.length, 0);
}
