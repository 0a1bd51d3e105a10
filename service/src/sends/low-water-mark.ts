const rescanAfterMs = 1_000;

/**
 * Where a claim begins to look. The sends before the mark are gone, but PostgreSQL keeps their dead entries as long as
 * anyone may still see them, and a scan would step over each. Those that came back with an old place are found by looking
 * from the start at least every second.
 */
export class LowWaterMark {
  #mark = "-infinity";
  #scannedAllAt = Number.NEGATIVE_INFINITY;
  readonly #clock: () => number;

  /** `clock` counts milliseconds and never jumps. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  get mark(): string {
    const now = this.#clock();
    if (now - this.#scannedAllAt >= rescanAfterMs) {
      this.#scannedAllAt = now;
      this.#mark = "-infinity";
    }
    return this.#mark;
  }

  /** What a claim that began at the mark found to be the first. */
  advance(mark: string): void {
    this.#mark = mark;
  }
}
