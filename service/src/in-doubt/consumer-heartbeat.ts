import { randomUUID } from "node:crypto";
import { createCautiousClock } from "../cautious-clock.ts";
import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { crashedAfterSeconds, recordHeartbeat } from "./consumer-store.ts";

interface ConsumerHeartbeatOptions {
  db: Queryable;
  mode: Mode;
  /** The visibility timeout of the queue: how long it hides a received message from all consumers. */
  visibilityTimeoutSeconds: number;
  /** The longest wait of one receive. The queue may deliver messages to a crashed consumer for that long. */
  waitSeconds: number;
}

/**
 * The heartbeat of one consumer of the event queue. When it ends, other processes know what the consumer may have held in flight.
 * That holds for an orderly stop as well, which abandons receives in progress. A consumer without a fresh heartbeat receives
 * nothing.
 */
export class ConsumerHeartbeat {
  readonly #options: ConsumerHeartbeatOptions;
  readonly #clock = createCautiousClock();
  readonly #consumerId = randomUUID();
  readonly #leftId = randomUUID();
  #hasLeftMessages = false;
  #hasPolled = false;
  #lastAt: number | undefined;
  /** Every receive that ended in this time found the queue empty. */
  #empty: { from: number; until: number } | undefined;

  constructor(options: ConsumerHeartbeatOptions) {
    this.#options = options;
  }

  get isFresh(): boolean {
    return this.#lastAt !== undefined && this.#clock() - this.#lastAt < crashedAfterSeconds * 1000;
  }

  /** Call before a receive, and `foundEmpty` if it returned nothing. */
  startReceive(waitSeconds: number): { foundEmpty(): void } {
    const latestAnswerMs = this.#clock() + waitSeconds * 1000;
    return {
      foundEmpty: () => {
        this.#hasPolled = true;
        // If this process was suspended, the answer is older than the clock says.
        const at = Math.min(this.#clock(), latestAnswerMs);
        this.#empty = { from: this.#empty?.from ?? at, until: Math.max(this.#empty?.until ?? at, at) };
      },
    };
  }

  foundMessages(): void {
    this.#hasPolled = true;
    this.#empty = undefined;
  }

  /** Messages that this consumer received, or may have received, stay in the queue as if it had crashed. */
  leftMessages(): void {
    this.#hasLeftMessages = true;
    this.#empty = undefined;
  }

  async send(): Promise<void> {
    const { db, mode, visibilityTimeoutSeconds, waitSeconds } = this.#options;
    // The process was suspended or had lost the database: the queue may have delivered messages that it never got.
    if (this.#lastAt !== undefined && !this.isFresh) this.leftMessages();
    const startedAt = this.#clock();
    const [hasLeftMessages, hasPolled] = [this.#hasLeftMessages, this.#hasPolled];
    [this.#hasLeftMessages, this.#hasPolled] = [false, false];
    try {
      await recordHeartbeat(db, {
        consumerId: this.#consumerId,
        mode,
        visibleAgainSeconds: crashedAfterSeconds + waitSeconds + visibilityTimeoutSeconds,
        leftId: hasLeftMessages ? this.#leftId : undefined,
        hasPolled,
        emptySecondsAgo: this.#emptySecondsAgo(startedAt),
      });
    } catch (err) {
      this.#hasLeftMessages ||= hasLeftMessages;
      this.#hasPolled ||= hasPolled;
      throw err;
    }
    this.#lastAt = startedAt;
  }

  /** Messages in flight at other consumers become visible within `visibilityTimeoutSeconds`, so the queue must stay empty for that long. */
  #emptySecondsAgo(now: number): number | undefined {
    const { visibilityTimeoutSeconds } = this.#options;
    if (this.#empty === undefined || this.#empty.until - this.#empty.from < visibilityTimeoutSeconds * 1000)
      return undefined;
    return visibilityTimeoutSeconds + (now - this.#empty.until) / 1000;
  }
}
