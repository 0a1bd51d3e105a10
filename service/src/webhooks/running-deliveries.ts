import type { Database } from "../db/database.ts";
import { untilWritten } from "../loops/until-written.ts";
import type { Metrics } from "../metrics.ts";
import { type AttemptAnswer, type AttemptDeps, attemptDelivery } from "./attempt-delivery.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { disableGone } from "./endpoint-health.ts";
import { EndpointPosts } from "./endpoint-posts.ts";
import { nextStep } from "./next-step.ts";
import { finalStates, openDeliverySettlement, type SettleDelivery, type SettledState } from "./settle-deliveries.ts";
import { traceAttempt } from "./trace-webhook.ts";

export interface RunDeps {
  db: Database;
  deps: AttemptDeps;
  metrics: Metrics;
}

/** About a quarter of an hour. The lease expired long before, so giving up loses only the answer. */
const settleTries = 70;
const gone = 410;

/** The leases of one worker: each claimed delivery is posted when its endpoint may get it, and settled. */
export class RunningDeliveries {
  readonly #options: RunDeps;
  readonly #settle: SettleDelivery;
  readonly #onFree: () => void;
  readonly #posts: EndpointPosts;
  readonly #running = new Set<Promise<void>>();
  /** The endpoint of each delivery that is not answered. */
  readonly #open = new Map<string, string>();
  readonly #answered = new Set<string>();

  /** `onFree`: called when an endpoint needs more deliveries. */
  constructor(options: RunDeps, onFree: () => void) {
    this.#options = options;
    this.#settle = openDeliverySettlement(options.db);
    this.#onFree = onFree;
    this.#posts = new EndpointPosts(options.deps.clock);
  }

  get count(): number {
    return this.#running.size;
  }

  /** Ids of deliveries whose attempt succeeded and is being settled. */
  get answered(): string[] {
    return [...this.#answered];
  }

  /** What a claim has to know to lease more of the endpoints that answer fast. */
  stock(): { fastEndpoints: string[]; leasedOfFast: string[] } {
    const fastEndpoints = this.#posts.fast();
    const fast = new Set(fastEndpoints);
    const leased = this.#open.entries().filter(([, endpointId]) => fast.has(endpointId));
    return { fastEndpoints, leasedOfFast: leased.map(([id]) => id).toArray() };
  }

  start(delivery: ClaimedDelivery, claimedAt: number): void {
    const { id, endpointId } = delivery;
    this.#open.set(id, endpointId);
    const attempt = this.#attempt(delivery, claimedAt).finally(() => {
      this.#open.delete(id);
      this.#running.delete(attempt);
      this.#wakeIfShort(endpointId);
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
      const answer = await this.#post(delivery, claimedAt);
      // crash point: webhook-answered
      if (answer?.result === "success") {
        // The next delivery of the endpoint need not wait for the settlement of this one.
        this.#answered.add(delivery.id);
        this.#open.delete(delivery.id);
        this.#wakeIfShort(delivery.endpointId);
      }
      const store = () => (answer === undefined ? this.#giveBack(delivery) : this.#store(delivery, answer, facts));
      await untilWritten(store, {
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

  /** Undefined: the endpoint has become slow or fails, and the delivery is to be given back. */
  async #post(delivery: ClaimedDelivery, claimedAt: number): Promise<AttemptAnswer | undefined> {
    const { endpointId } = delivery;
    if (!(await this.#posts.begin(endpointId))) return undefined;
    const answer = await traceAttempt(delivery, () => attemptDelivery(this.#options.deps, delivery, claimedAt));
    this.#posts.end(endpointId, { isSuccess: answer.result === "success", durationMs: answer.durationMs });
    return answer;
  }

  #wakeIfShort(endpointId: string): void {
    if (this.#posts.isShort(endpointId)) this.#onFree();
  }

  async #giveBack(delivery: ClaimedDelivery): Promise<void> {
    await this.#settle({
      ...leaseOf(delivery),
      failure: "The endpoint became slow before this delivery was posted.",
      delaySeconds: 0,
      kind: "given-back",
    });
  }

  /** The endpoint first, so that settling pauses the delivery. Both can be repeated. */
  async #store(delivery: ClaimedDelivery, answer: AttemptAnswer, facts: Record<string, unknown>): Promise<void> {
    const { db, deps, metrics } = this.#options;
    const { result, durationMs, status, failure } = answer;
    if (status === gone && (await disableGone(db, delivery.endpointId, delivery.url))) {
      deps.log.warn({ ...facts, reason: "gone" }, "webhook.endpoint-disabled");
    }
    const state = await this.#settle({
      ...leaseOf(delivery),
      durationMs,
      status,
      answer: answer.answer,
      ...answer.request,
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

function leaseOf({ id, accountId, endpointId, attempt, attemptedAt }: ClaimedDelivery) {
  return { deliveryId: id, accountId, endpointId, attempt, attemptedAt };
}

export function countFinal(metrics: Metrics, state: SettledState): void {
  const final = finalStates.find((each) => each === state);
  if (final !== undefined) metrics.webhookDeliveries.inc({ state: final });
}

/** For the log, because the rest of a URL can hold a credential. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
