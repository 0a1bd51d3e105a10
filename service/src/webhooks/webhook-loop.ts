import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { startTicker } from "../loops/ticker.ts";
import { untilWritten } from "../loops/until-written.ts";
import { WakeSignal } from "../loops/wake-signal.ts";
import type { Metrics } from "../metrics.ts";
import { advanceReplay } from "./advance-replay.ts";
import { type AttemptAnswer, type AttemptDeps, attemptDelivery } from "./attempt-delivery.ts";
import { maxAttempts, nextAttemptSeconds, soonerAttemptSeconds } from "./attempt-schedule.ts";
import { type ClaimedDelivery, claimDeliveries } from "./claim-deliveries.ts";
import { disableGone } from "./endpoint-health.ts";
import { settleExpiredLeases } from "./expired-leases.ts";
import type { FannedOut } from "./fan-out.ts";
import { finalStates, openDeliverySettlement, type SettleDelivery, type SettledState } from "./settle-deliveries.ts";

/** The channel on which processes announce that they wrote notifications. */
export const notifiedChannel = "postern_notified";

interface WebhookLoopOptions {
  db: Database;
  /** Makes the deliveries of about `limit` new notifications. */
  fanOut: (db: Database, limit: number) => Promise<FannedOut>;
  deps: AttemptDeps;
  metrics: Metrics;
  maxInFlight?: number;
}

const pollMs = 1_000;
/** While notifications arrive, others probably follow, and each waits for the next look. */
const busyPollMs = 100;
const backOffMs = 1_000;
const expireEveryMs = 5_000;
const fanOutSize = 200;
/** Many more than endpoints usually hang at a time: an attempt that waits costs little. */
const usualInFlight = 600;
/** The 15 s of an attempt, and time to settle it. A lease that remains expires. */
const stopWithinMs = 17_000;
/** About a quarter of an hour. The lease expired long before, so giving up loses only the answer. */
const settleTries = 70;
const gone = 410;

/**
 * Fans out notifications, and claims, posts and settles their deliveries, each as soon as it can. A hint only wakes it earlier. The three
 * loops are independent: neither many new notifications nor the replay of a range delay the deliveries that exist.
 */
export class WebhookLoop {
  readonly #options: WebhookLoopOptions;
  readonly #settle: SettleDelivery;
  readonly #running = new Set<Promise<void>>();
  /** Ids of deliveries whose attempt succeeded and is being settled. */
  readonly #answered = new Set<string>();
  readonly #notified = new WakeSignal();
  readonly #claimable = new WakeSignal();
  readonly #replayable = new WakeSignal();
  readonly #stopping = new AbortController();
  #parts: { stop(): Promise<void> }[] = [];

  constructor(options: WebhookLoopOptions) {
    this.#options = options;
    this.#settle = openDeliverySettlement(options.db);
  }

  start(): void {
    const { log } = this.#options.deps;
    this.#parts = [
      this.#repeat(this.#notified, "webhooks.fan-out-failed", async () => {
        const { taken, isMore } = await this.#fanOut();
        if (isMore) return 0;
        return taken > 0 ? busyPollMs : pollMs;
      }),
      this.#repeat(this.#claimable, "webhooks.claim-failed", async () => {
        await this.#claim();
        // Nothing more can be claimed until an attempt ends, a delivery becomes due or a notification arrives.
        return pollMs;
      }),
      this.#repeat(this.#replayable, "webhooks.replay-failed", async () => ((await this.#replay()) ? 0 : pollMs)),
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
    const ended = Promise.all([...this.#parts.map((part) => part.stop()), ...this.#running]);
    const late = new AbortController();
    await Promise.race([ended, sleep(stopWithinMs, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  }

  /** Fans out and claims once, and waits until every claimed delivery is settled. Returns the number of deliveries. */
  async runOnce(): Promise<number> {
    await this.#fanOut();
    const claimed = await this.#claim();
    await Promise.all(this.#running);
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
    const free = maxInFlight - this.#running.size;
    if (free <= 0 || this.#stopping.signal.aborted) return 0;
    const claimedAt = deps.clock();
    const claimed = await claimDeliveries(db, { maxDeliveries: free, answered: [...this.#answered] });
    for (const delivery of claimed) this.#start(delivery, claimedAt);
    return claimed.length;
  }

  async #expire(): Promise<void> {
    const { db, metrics } = this.#options;
    const states = await settleExpiredLeases(db);
    for (const state of states.filter((each) => each !== undefined)) {
      metrics.webhookAttempts.inc({ result: "unknown" });
      this.#countFinal(state);
    }
    if (states.length > 0) this.#claimable.wake();
  }

  #start(delivery: ClaimedDelivery, claimedAt: number): void {
    const attempt = this.#attempt(delivery, claimedAt).finally(() => {
      this.#running.delete(attempt);
      this.#claimable.wake();
    });
    this.#running.add(attempt);
  }

  /** Never rejects. When a result cannot be stored, the attempt becomes unknown at the end of its lease. */
  async #attempt(delivery: ClaimedDelivery, claimedAt: number): Promise<void> {
    // crash point: webhook-claimed
    const { deps } = this.#options;
    const facts = {
      delivery_id: delivery.id,
      account_id: delivery.accountId,
      endpoint_id: delivery.endpointId,
      attempt: delivery.attempt,
      host: hostOf(delivery.url),
    };
    try {
      const answer = await attemptDelivery(deps, delivery, claimedAt);
      // crash point: webhook-answered
      if (answer.result === "success") {
        // The next delivery of the endpoint need not wait for the settlement of this one.
        this.#answered.add(delivery.id);
        this.#claimable.wake();
      }
      await untilWritten(() => this.#store(delivery, answer, facts), {
        onFailure: (err, tries) => deps.log.error({ ...facts, tries, err }, "webhook.not-settled-yet"),
        maxTries: settleTries,
      });
      // crash point: webhook-settled
    } catch (err) {
      deps.log.error({ ...facts, err }, "webhook.settle-failed");
    } finally {
      this.#answered.delete(delivery.id);
    }
  }

  /** The endpoint first, so that settling pauses the delivery. Both can be repeated. */
  async #store(delivery: ClaimedDelivery, answer: AttemptAnswer, facts: Record<string, unknown>): Promise<void> {
    const { db, deps, metrics } = this.#options;
    const { result, durationMs, status, failure } = answer;
    if (status === gone && (await disableGone(db, delivery.endpointId, delivery.url))) {
      deps.log.warn({ ...facts, reason: "gone" }, "webhook.endpoint-disabled");
    }
    const state = await this.#settle({
      deliveryId: delivery.id,
      accountId: delivery.accountId,
      endpointId: delivery.endpointId,
      attempt: delivery.attempt,
      attemptedAt: delivery.attemptedAt,
      durationMs,
      status,
      answer: answer.answer,
      failure,
      ...nextStep(answer, delivery.attempt),
    });
    metrics.webhookAttempts.inc({ result });
    this.#countFinal(state);
    const duration = durationMs === undefined ? undefined : Math.round(durationMs);
    deps.log.info(
      { ...facts, result, status, duration_ms: duration, state: state ?? "lease-lost" },
      "webhook.attempted",
    );
  }

  #countFinal(state: SettledState): void {
    const final = finalStates.find((each) => each === state);
    if (final !== undefined) this.#options.metrics.webhookDeliveries.inc({ state: final });
  }
}

function nextStep({ result, retryAfterSeconds }: AttemptAnswer, attempt: number) {
  switch (result) {
    case "lost":
      return { kind: "not-made", delaySeconds: undefined } as const;
    case "not-made":
      return { kind: "not-made", delaySeconds: soonerAttemptSeconds(Math.min(attempt, maxAttempts - 1)) } as const;
    default:
      return { kind: "made", delaySeconds: nextAttemptSeconds(attempt, retryAfterSeconds) } as const;
  }
}

/** For the log, because the rest of a URL can hold a credential. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
