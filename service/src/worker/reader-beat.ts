import { randomUUID } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import { noteReading } from "../sends/feedback-readers.ts";
import type { Mode } from "../sends/send-request.ts";

interface ReaderBeatOptions {
  db: Queryable;
  mode: Mode;
  /** For how long the queue keeps a received message from everyone. */
  hiddenSeconds: number;
  /** For how long one receive waits at most: that long the queue may go on to give messages to somebody who died. */
  waitSeconds: number;
}

const freshSeconds = 10;

/**
 * The signs of life of one who reads the queue of events: what it had in hand when they ended is known to be missing. That
 * holds for an end in good order too, which gives up receives under way. Whoever cannot give a sign receives nothing new.
 */
export class ReaderBeat {
  readonly #options: ReaderBeatOptions;
  #readerId = randomUUID();
  #hasLeftSome = false;
  #hasPolled = false;
  #beatAt = Number.NEGATIVE_INFINITY;
  /** Since then every poll came back empty; what others have in hand comes back within the time it is hidden. */
  #emptySince: number | undefined;

  constructor(options: ReaderBeatOptions) {
    this.#options = options;
  }

  get isFresh(): boolean {
    return performance.now() - this.#beatAt < freshSeconds * 1000;
  }

  foundEmpty(): void {
    this.#hasPolled = true;
    this.#emptySince ??= performance.now();
  }

  foundSome(): void {
    this.#hasPolled = true;
    this.#emptySince = undefined;
  }

  /** Messages that were received, or may have been, stay in the queue: as if one reader had died and another come. */
  leftSome(): void {
    this.#hasLeftSome = true;
    this.#emptySince = undefined;
  }

  async beat(): Promise<void> {
    const { db, mode, hiddenSeconds, waitSeconds } = this.#options;
    if (this.#hasLeftSome) this.#readerId = randomUUID();
    this.#hasLeftSome = false;
    const startedAt = performance.now();
    const isEmpty = this.#emptySince !== undefined && startedAt - this.#emptySince >= hiddenSeconds * 1000;
    await noteReading(db, {
      readerId: this.#readerId,
      mode,
      backSeconds: freshSeconds + waitSeconds + hiddenSeconds,
      hasPolled: this.#hasPolled,
      emptySecondsAgo: isEmpty ? hiddenSeconds : undefined,
    });
    this.#hasPolled = false;
    this.#beatAt = startedAt;
  }
}
