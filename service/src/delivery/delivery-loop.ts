import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { WakeSignal } from "../loops/wake-signal.ts";
import { type Claim, type ClaimedSend, type ClaimOptions, claimSends } from "../queue/claim-sends.ts";
import { type Grant, reserve, settleGrant } from "../queue/pacing.ts";
import { returnProbe, takeProbe } from "../queue/provider-hold.ts";
import { ScanStart } from "../queue/scan-start.ts";
import type { Mode } from "../sends/send-request.ts";
import type { Delivery } from "./delivery.ts";
import { type SettlementDeps, settleAttempt } from "./settle-attempt.ts";
import { type DeliveryDeps, submitSend } from "./submit-send.ts";
import { untilWritten } from "./until-written.ts";

interface DeliveryLoopOptions {
  db: Database;
  mode: Mode;
  /** How many sends are handed over at the same time. */
  slots: number;
  deps: DeliveryDeps & SettlementDeps;
}

const pollMs = 250;
const backOffMs = 1_000;

const stopped: Delivery = { outcome: "returned", move: { kind: "given-back" }, detail: "the worker was stopped" };

/** Claims what it can start at once and hands it over, as fast as the provider allows. Hints only make it quicker. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #scanStart = new ScanStart();
  readonly #running = new Set<Promise<void>>();
  readonly #alarm = new WakeSignal();
  readonly #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();
  #probed: Promise<boolean> = Promise.resolve(false);

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** There may be something to claim. */
  wake(): void {
    this.#alarm.ring();
  }

  /** Claims nothing more. What is being handed over ends; what was claimed and not begun is given back at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await Promise.allSettled([this.#ended, this.#probed]);
    await Promise.all(this.#running);
  }

  /** Claims once and waits until all of it is settled. Returns how many sends that were, parked ones included. */
  async runOnce(): Promise<number> {
    const claimed = await this.#claim();
    await Promise.all(this.#running);
    return claimed;
  }

  /** While the provider is held, hands over one send when it is time to try. Returns whether it did. */
  probe(): Promise<boolean> {
    this.#probed = this.#probe();
    return this.#probed;
  }

  async #probe(): Promise<boolean> {
    const { db, mode } = this.#options;
    if (this.#stopping.signal.aborted || !(await takeProbe(db, mode))) return false;
    const { sends, parked } = await this.#claimAndBegin({
      maxSends: 1,
      maxRecipients: 1,
      fromFairAt: "-infinity",
      isProbe: true,
    });
    // It met a send that may not go, and nothing was asked.
    if (parked > 0) await returnProbe(db, mode);
    return sends.length > 0;
  }

  async #run(): Promise<void> {
    let isAway = false;
    while (!this.#stopping.signal.aborted) {
      try {
        const claimed = await this.#claim();
        isAway = false;
        if (claimed === 0) await this.#alarm.wait(pollMs);
      } catch (err) {
        if (!isAway) this.#options.deps.log.error({ err }, "delivery.claim-failed");
        isAway = true;
        await sleep(backOffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }

  async #claim(): Promise<number> {
    const { db, slots } = this.#options;
    const free = slots - this.#running.size;
    if (free <= 0) return 0;
    const grant = await this.#waitForGrant(free);
    if (grant === undefined) return 0;
    const { sends, parked } = await this.#claimAndBegin({
      maxSends: grant.recipients,
      maxRecipients: grant.recipients,
      fromFairAt: grant.fromFairAt,
      isProbe: false,
    });
    await settleGrant(db, grant, recipientsToMail(sends));
    return sends.length + parked;
  }

  /** Undefined when there is nothing to claim, or the worker is to stop. */
  async #waitForGrant(wanted: number): Promise<Grant | undefined> {
    const { db, mode } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const scanStart = this.#scanStart.mark;
      const { grant, mark, lookMs } = await reserve(db, { mode, wanted, scanStart });
      if (mark !== undefined) this.#scanStart.advance(mark);
      if (mark !== undefined && scanStart === "-infinity") this.#scanStart.scannedAll(lookMs);
      if (grant === undefined || grant.recipients > 0) return grant;
      await sleep(grant.waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #claimAndBegin(claim: Omit<ClaimOptions, "mode">): Promise<Claim> {
    const { db, mode, deps } = this.#options;
    const claimedAt = deps.clock();
    // crash point: before-claim
    const claimed = await claimSends(db, { mode, ...claim });
    for (const send of claimed.sends) this.#begin(send, claimedAt, claim.isProbe);
    return claimed;
  }

  #begin(send: ClaimedSend, claimedAt: number, isProbe: boolean): void {
    const delivery = this.#deliver(send, claimedAt, isProbe).finally(() => {
      this.#running.delete(delivery);
      this.wake();
    });
    this.#running.add(delivery);
  }

  /** Never rejects: what cannot be written down for another reason than a lost database is left to the lease. */
  async #deliver(send: ClaimedSend, claimedAt: number, isProbe: boolean): Promise<void> {
    // crash point: after-claim
    const { deps } = this.#options;
    try {
      const delivery = this.#stopping.signal.aborted ? stopped : await submitSend(deps, send, claimedAt);
      await untilWritten(() => settleAttempt(deps, send, delivery, { isProbe }), {
        onFailure: (err, tries) => deps.log.error({ send_id: send.id, tries, err }, "delivery.not-settled-yet"),
      });
    } catch (err) {
      deps.log.error({ send_id: send.id, attempt: send.attempt, err }, "delivery.settle-failed");
    }
  }
}

/** Sends that are not handed over now use nothing of the pace. */
function recipientsToMail(sends: ClaimedSend[]): number {
  const going = sends.filter(({ domain }) => domain === "verified");
  return going.reduce((sum, { recipients }) => sum + recipients.length, 0);
}
