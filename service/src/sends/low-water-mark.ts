const rescanAfterMs = { least: 1_000, most: 3_000 };
/** A look from the start may take this share of the time, and not more of it when there is much to step over. */
const shareOfTime = 0.005;

/**
 * Where a claim begins to look. The sends before the mark are gone, but PostgreSQL keeps their dead entries as long as
 * anyone may still see them, and a scan would step over each. Those that come with an older place, because they came back or
 * were given it by an API that knew an old head of the queue, are found by looking from the start every second, or every
 * three when that takes long.
 */
export class LowWaterMark {
  #mark = "-infinity";
  #scannedAllAt = Number.NEGATIVE_INFINITY;
  #rescanAfterMs = rescanAfterMs.least;
  readonly #clock: () => number;

  /** `clock` counts milliseconds and never jumps. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  get mark(): string {
    const now = this.#clock();
    if (now - this.#scannedAllAt >= this.#rescanAfterMs) {
      this.#scannedAllAt = now;
      this.#mark = "-infinity";
    }
    return this.#mark;
  }

  /** From the mark on, the first send that was found lies here. */
  advance(mark: string): void {
    this.#mark = mark;
  }

  /** How long a look from the start took. */
  scannedAll(tookMs: number): void {
    this.#rescanAfterMs = Math.min(rescanAfterMs.most, Math.max(rescanAfterMs.least, tookMs / shareOfTime));
  }
}
