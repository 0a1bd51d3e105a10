import type { Database } from "../db/database.ts";
import { untilWritten } from "../loops/until-written.ts";
import type { Metrics } from "../metrics.ts";
import { type AttemptAnswer, type AttemptDeps, attemptDelivery } from "./attempt-delivery.ts";
import { maxAttempts, nextAttemptSeconds, soonerAttemptSeconds } from "./attempt-schedule.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { disableGone } from "./endpoint-health.ts";
import { finalStates, openDeliverySettlement, type SettleDelivery, type SettledState } from "./settle-deliveries.ts";

export interface RunDeps {
  db: Database;
  deps: AttemptDeps;
  metrics: Metrics;
}

/** About a quarter of an hour. The lease expired long before, so giving up loses only the answer. */
const settleTries = 70;
const gone = 410;

/** The attempts in progress of one worker: each posts a claimed delivery and settles it. */
export class RunningDeliveries {
  readonly #options: RunDeps;
  readonly #settle: SettleDelivery;
  readonly #onFree: () => void;
  readonly #running = new Set<Promise<void>>();
  readonly #answered = new Set<string>();

  /** `onFree`: called when another delivery of the same endpoint may start. */
  constructor(options: RunDeps, onFree: () => void) {
    this.#options = options;
    this.#settle = openDeliverySettlement(options.db);
    this.#onFree = onFree;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Ids of deliveries whose attempt succeeded and is being settled. */
  get answered(): string[] {
    return [...this.#answered];
  }

  start(delivery: ClaimedDelivery, claimedAt: number): void {
    const attempt = this.#attempt(delivery, claimedAt).finally(() => {
      this.#running.delete(attempt);
      this.#onFree();
    });
    this.#running.add(attempt);
  }

  /** Resolves when everything that runs now has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
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
        this.#onFree();
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
    countFinal(metrics, state);
    const duration = durationMs === undefined ? undefined : Math.round(durationMs);
    deps.log.info(
      { ...facts, result, status, duration_ms: duration, state: state ?? "lease-lost" },
      "webhook.attempted",
    );
  }
}

export function countFinal(metrics: Metrics, state: SettledState): void {
  const final = finalStates.find((each) => each === state);
  if (final !== undefined) metrics.webhookDeliveries.inc({ state: final });
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
