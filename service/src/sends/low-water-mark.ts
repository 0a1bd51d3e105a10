const rescanAfterMs = { least: 1_000, most: 10_000 };
/** A look from the start may take this share of the time, and not more of it when there is much to step over. */
const shareOfTime = 0.005;

/**
 * Where a claim begins to look. The sends before the mark are gone, but PostgreSQL keeps their dead entries as long as
 * anyone may still see them, and a scan would step over each. Those that came back with an old place are found by looking
 * from the start every second, or less often when that takes long.
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

  /** What a look that began at `from` found to be the first, and how long it took. */
  advance(from: string, mark: string, tookMs: number): void {
    this.#mark = mark;
    if (from !== "-infinity") return;
    this.#rescanAfterMs = Math.min(rescanAfterMs.most, Math.max(rescanAfterMs.least, tookMs / shareOfTime));
  }
}
