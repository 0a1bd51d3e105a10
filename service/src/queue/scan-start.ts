const rescanAfterMs = { least: 1_000, most: 10_000 };
/** A look from the start may take this share of the time, and not more of it when there is much to step over. */
const shareOfTime = 0.005;
/** An API hands out a turn that it saw being served up to a second ago, and may take a while to commit what it gave it to. */
const keptMs = 2_000;

/** Where the first send was found; `isBehind` when that is further behind the clock than newcomers without a backlog get. */
export interface Mark {
  at: string;
  isBehind: boolean;
}

/**
 * Where a claim begins to look. The sends before the mark are gone, but PostgreSQL keeps their dead entries as long as
 * anyone may still see them, and a scan would step over each. Whoever met an old turn keeps it in sight for some seconds, since
 * newcomers are lined up there; those that come with an older one still are found by looking from the start every second,
 * or every ten when that takes long.
 */
export class ScanStart {
  #latest = "-infinity";
  /** The lowest old turn of the last two seconds, and of the two before them. */
  #old: (string | undefined)[] = [];
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
    if (now - this.#scannedAllAt < this.#rescanAfterMs) return lowestOf([this.#latest, ...this.#old]) ?? "-infinity";
    this.#scannedAllAt = now;
    return "-infinity";
  }

  /** From the mark on, the first send that was found lies here. */
  advance({ at, isBehind }: Mark): void {
    const now = this.#clock();
    this.#latest = at;
    const old = isBehind ? at : undefined;
    if (now - this.#keptSince < keptMs) {
      this.#old = [lowestOf([old, this.#old[0]]), this.#old[1]];
      return;
    }
    this.#keptSince = now;
    this.#old = [old, this.#old[0]];
  }

  /** How long a look from the start took. */
  scannedAll(tookMs: number): void {
    this.#rescanAfterMs = Math.min(rescanAfterMs.most, Math.max(rescanAfterMs.least, tookMs / shareOfTime));
  }
}

const newcomers = "now() - interval '2 seconds'";

/** The columns of a mark, from the first turn that was found. */
export function markColumns(firstFairAt: string): string {
  return `least(${firstFairAt}, ${newcomers}) as mark_at, coalesce(${firstFairAt} < ${newcomers}, false) as is_behind`;
}

/** Written so that marks sort as text. */
export function markText(time: string): string {
  return `to_char(${time} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US') || 'Z'`;
}

function lowestOf(marks: (string | undefined)[]): string | undefined {
  return marks.filter((mark) => mark !== undefined).toSorted()[0];
}
