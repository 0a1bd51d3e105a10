import { randomUUID } from "node:crypto";
import { createCautiousClock } from "../cautious-clock.ts";
import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";
import { crashedAfterSeconds, recordHeartbeat } from "./consumer-store.ts";

interface ConsumerHeartbeatOptions {
  db: Queryable;
  mode: Mode;
  /** For how long the queue keeps a received message from everyone. */
  hiddenSeconds: number;
  /** For how long one receive waits at most: that long the queue may go on to give messages to somebody who died. */
  waitSeconds: number;
}

/**
 * The signs of life of one who reads the queue of events: what it had in hand when they ended is known to be missing. That
 * holds for an end in good order too, which gives up receives under way. Whoever cannot give a sign receives nothing new.
 */
export class ConsumerHeartbeat {
  readonly #options: ConsumerHeartbeatOptions;
  readonly #clock = createCautiousClock();
  readonly #consumerId = randomUUID();
  readonly #leftId = randomUUID();
  #hasLeftSome = false;
  #hasPolled = false;
  #heartbeatAt: number | undefined;
  /** Every poll that ended in this time found nothing. */
  #empty: { from: number; until: number } | undefined;

  constructor(options: ConsumerHeartbeatOptions) {
    this.#options = options;
  }

  get isFresh(): boolean {
    return this.#heartbeatAt !== undefined && this.#clock() - this.#heartbeatAt < crashedAfterSeconds * 1000;
  }

  ask(waitSeconds: number): { foundEmpty(): void } {
    const longestMs = this.#clock() + waitSeconds * 1000;
    return {
      foundEmpty: () => {
        this.#hasPolled = true;
        // An answer may have lain there while this process was stopped.
        const at = Math.min(this.#clock(), longestMs);
        this.#empty = { from: this.#empty?.from ?? at, until: Math.max(this.#empty?.until ?? at, at) };
      },
    };
  }

  foundSome(): void {
    this.#hasPolled = true;
    this.#empty = undefined;
  }

  /** Messages that were received, or may have been, stay in the queue as if their consumer had died. */
  leftSome(): void {
    this.#hasLeftSome = true;
    this.#empty = undefined;
  }

  async heartbeat(): Promise<void> {
    const { db, mode, hiddenSeconds, waitSeconds } = this.#options;
    // Was stopped, or away from the database: what it was given meanwhile it may not have.
    if (this.#heartbeatAt !== undefined && !this.isFresh) this.leftSome();
    const startedAt = this.#clock();
    const [hasLeftSome, hasPolled] = [this.#hasLeftSome, this.#hasPolled];
    [this.#hasLeftSome, this.#hasPolled] = [false, false];
    try {
      await recordHeartbeat(db, {
        consumerId: this.#consumerId,
        mode,
        visibleAgainSeconds: crashedAfterSeconds + waitSeconds + hiddenSeconds,
        leftId: hasLeftSome ? this.#leftId : undefined,
        hasPolled,
        emptySecondsAgo: this.#emptySecondsAgo(startedAt),
      });
    } catch (err) {
      this.#hasLeftSome ||= hasLeftSome;
      this.#hasPolled ||= hasPolled;
      throw err;
    }
    this.#heartbeatAt = startedAt;
  }

  /** What others have in hand comes back within the time it is hidden, so nothing has to come for as long. */
  #emptySecondsAgo(now: number): number | undefined {
    const { hiddenSeconds } = this.#options;
    if (this.#empty === undefined || this.#empty.until - this.#empty.from < hiddenSeconds * 1000) return undefined;
    return hiddenSeconds + (now - this.#empty.until) / 1000;
  }
}
