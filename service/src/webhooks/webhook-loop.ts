import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { startTicker } from "../loops/ticker.ts";
import { WakeSignal } from "../loops/wake-signal.ts";
import { advanceReplay } from "./advance-replay.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { findDueWork } from "./due-work.ts";
import { settleExpiredLeases } from "./expired-leases.ts";
import type { FannedOut } from "./fan-out.ts";
import { countFinal, type RunDeps, RunningDeliveries } from "./running-deliveries.ts";
import { findDeliveryTraces } from "./trace-webhook.ts";

/** The channel on which processes announce that they wrote notifications. */
export const notifiedChannel = "postern_notified";

interface WebhookLoopOptions extends RunDeps {
  /** Makes the deliveries of about `limit` new notifications. */
  fanOut: (db: Database, limit: number) => Promise<FannedOut>;
  maxInFlight?: number;
}

/** How often it looks for work of which no hint came. */
const lookEveryMs = 1_000;
/** The loops are woken when there is work. Without that they look themselves this often. */
const untilWokenMs = 10_000;
/** While notifications arrive, others probably follow, and each waits for the next look. */
const busyPollMs = 100;
/** Attempts that end meanwhile share the next claim, which costs as much for one as for many. */
const claimPauseMs = 8;
const backOffMs = 1_000;
const expireEveryMs = 5_000;
const fanOutSize = 200;
/** Many more than endpoints usually hang at a time: an attempt that waits costs little. */
const usualInFlight = 600;
/** The 15 s of an attempt, and time to settle it. A lease that remains expires. */
const stopWithinMs = 17_000;

/**
 * Fans out notifications, and claims, posts and settles their deliveries, each as soon as it can. A hint only wakes it earlier. The three
 * loops are independent: neither many new notifications nor the replay of a range delay the deliveries that exist.
 */
export class WebhookLoop {
  readonly #options: WebhookLoopOptions;
  readonly #running: RunningDeliveries;
  readonly #notified = new WakeSignal();
  readonly #claimable = new WakeSignal();
  readonly #replayable = new WakeSignal();
  readonly #stopping = new AbortController();
  #parts: { stop(): Promise<void> }[] = [];

  constructor(options: WebhookLoopOptions) {
    this.#options = options;
    this.#running = new RunningDeliveries(options, () => this.#claimable.wake());
  }

  start(): void {
    const { log } = this.#options.deps;
    this.#parts = [
      this.#repeat(this.#notified, "webhooks.fan-out-failed", async () => {
        const { taken, isMore } = await this.#fanOut();
        if (isMore) return 0;
        return taken > 0 ? busyPollMs : untilWokenMs;
      }),
      this.#repeat(this.#claimable, "webhooks.claim-failed", async () => {
        await this.#claim();
        await sleep(claimPauseMs);
        // Nothing more can be claimed until an attempt ends, a delivery becomes due or a notification arrives.
        return untilWokenMs;
      }),
      this.#repeat(this.#replayable, "webhooks.replay-failed", async () => ((await this.#replay()) ? 0 : untilWokenMs)),
      startTicker({
        pauseMs: lookEveryMs,
        run: () => this.#look(),
        onFailure: (err) => log.error({ err }, "webhooks.look-failed"),
      }),
      startTicker({
        pauseMs: expireEveryMs,
        run: () => this.#expire(),
        onFailure: (err) => log.error({ err }, "webhooks.tick-failed"),
      }),
    ];
  }

  /** Call when a notification may have been written. */
  wake(): void {
    this.#notified.wake();
    this.#claimable.wake();
  }

  /** Stops claiming, and waits for the attempts in progress as long as they may take. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    this.#replayable.wake();
    // A claim that has not ended yet may still start attempts.
    const ended = Promise.all(this.#parts.map((part) => part.stop())).then(() => this.#running.ended());
    const late = new AbortController();
    await Promise.race([ended, sleep(stopWithinMs, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  }

  /** Fans out and claims once, and waits until every claimed delivery is settled. Returns the number of deliveries. */
  async runOnce(): Promise<number> {
    await this.#fanOut();
    const claimed = await this.#claim();
    await this.#running.ended();
    return claimed;
  }

  /** Repeats `step` after the milliseconds that it returns, or when it is woken. */
  #repeat(signal: WakeSignal, failed: string, step: () => Promise<number>): { stop(): Promise<void> } {
    const { log } = this.#options.deps;
    const ended = (async () => {
      let isFailing = false;
      while (!this.#stopping.signal.aborted) {
        try {
          const pauseMs = await step();
          isFailing = false;
          if (pauseMs > 0) await signal.sleep(pauseMs);
        } catch (err) {
          if (!isFailing) log.error({ err }, failed);
          isFailing = true;
          await sleep(backOffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
        }
      }
    })();
    return { stop: () => ended };
  }

  async #look(): Promise<void> {
    const due = await findDueWork(this.#options.db);
    if (due.fanOut) this.#notified.wake();
    if (due.claim) this.#claimable.wake();
    if (due.replay) this.#replayable.wake();
  }

  async #fanOut(): Promise<FannedOut> {
    const { db, fanOut } = this.#options;
    const fannedOut = await fanOut(db, fanOutSize);
    if (fannedOut.taken > 0) this.#claimable.wake();
    return fannedOut;
  }

  /** Returns whether another step may be due. */
  async #replay(): Promise<boolean> {
    const { db, deps } = this.#options;
    const step = await advanceReplay(db);
    if (step === undefined) return false;
    const { replayId, state, deliveries } = step;
    if (deliveries > 0) this.#claimable.wake();
    if (state !== "running") deps.log.info({ replay_id: replayId, state }, "webhooks.replay-ended");
    return true;
  }

  async #claim(): Promise<number> {
    const { db, deps, maxInFlight = usualInFlight } = this.#options;
    const free = maxInFlight - this.#running.count;
    if (free <= 0 || this.#stopping.signal.aborted) return 0;
    const claimedAt = deps.clock();
    const claimed = await claimDeliveries(db, {
      maxDeliveries: free,
      answered: this.#running.answered,
      ...this.#running.stock(),
    });
    await findDeliveryTraces(db, claimed);
    for (const delivery of claimed) this.#running.start(delivery, claimedAt);
    return claimed.length;
  }

  async #expire(): Promise<void> {
    const { db, metrics } = this.#options;
    const states = await settleExpiredLeases(db);
    for (const state of states.filter((each) => each !== undefined)) {
      metrics.webhookAttempts.inc({ result: "unknown" });
      countFinal(metrics, state);
    }
    if (states.length > 0) this.#claimable.wake();
  }
}
