const rescanAfterMs = { least: 1_000, most: 3_000 };
/** A look from the start may take this share of the time, and not more of it when there is much to step over. */
const shareOfTime = 0.005;
/** An API hands out a turn that it saw being served up to a second ago, and may take a while to commit what it gave it to. */
const keptMs = 3_000;

/**
 * Where a claim begins to look. The sends before the mark are gone, but PostgreSQL keeps their dead entries as long as
 * anyone may still see them, and a scan would step over each. Whoever met an old turn keeps it in sight for some seconds, since
 * newcomers are lined up there; those that come with an older one still are found by looking from the start every second,
 * or every three when that takes long.
 */
export class LowWaterMark {
  /** The lowest of the last three seconds and of the three before them. */
  #lowest: string[] = [];
  #keptSince = Number.NEGATIVE_INFINITY;
  #scannedAllAt = Number.NEGATIVE_INFINITY;
  #rescanAfterMs = rescanAfterMs.least;
  readonly #clock: () => number;

  /** `clock` counts milliseconds and never jumps. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  get mark(): string {
    const now = this.#clock();
    if (now - this.#scannedAllAt < this.#rescanAfterMs) return lowestOf(this.#lowest);
    this.#scannedAllAt = now;
    return "-infinity";
  }

  /** From the mark on, the first send that was found lies here. */
  advance(mark: string): void {
    const now = this.#clock();
    const [last = mark, lastButOne = mark] = this.#lowest;
    const isOver = now - this.#keptSince >= keptMs;
    if (isOver) this.#keptSince = now;
    this.#lowest = isOver ? [mark, last] : [lowestOf([mark, last]), lastButOne];
  }

  /** How long a look from the start took. */
  scannedAll(tookMs: number): void {
    this.#rescanAfterMs = Math.min(rescanAfterMs.most, Math.max(rescanAfterMs.least, tookMs / shareOfTime));
  }
}

/** Marks are written so that they sort as text. */
export function asMark(time: string): string {
  return `to_char(${time} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US') || 'Z'`;
}

function lowestOf(marks: string[]): string {
  return marks.toSorted()[0] ?? "-infinity";
}
