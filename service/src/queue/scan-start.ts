const rescanAfterMs = { least: 1_000, most: 10_000 };
/** Scans of the whole queue may take this share of the time. */
const shareOfTime = 0.005;
/** The API assigns a `fair_at` that it read up to a second ago, and may take a while to commit the send. */
const keptMs = 2_000;

/** The `fair_at` of the first ready send; `isBehind` when it lies further in the past than new sends without a backlog get. */
export interface FirstReady {
  at: string;
  isBehind: boolean;
}

/**
 * Where a claim starts to scan the queue. The sends before it are gone, but PostgreSQL keeps their dead index entries as long as any
 * transaction may see them, and a scan steps over each one. Two things keep it from missing a send:
 *
 * 1. New sends of an account without a backlog get the `fair_at` of the queue head. So a worker that saw an old `fair_at` starts
 *    there for another two to four seconds.
 * 2. A send with a still older `fair_at` is found by a scan of the whole queue, once a second, or every ten seconds while such a
 *    scan takes long.
 */
export class ScanStart {
  #latest = "-infinity";
  /** The lowest old `fair_at` of the last two seconds, and of the two before them. */
  #old: (string | undefined)[] = [];
  #keptSince = Number.NEGATIVE_INFINITY;
  #scannedAllAt = Number.NEGATIVE_INFINITY;
  #rescanAfterMs = rescanAfterMs.least;
  readonly #clock: () => number;

  /** `clock` counts milliseconds and never jumps. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** The `fair_at` to scan from; `-infinity` when a scan of the whole queue is due. */
  next(): string {
    const now = this.#clock();
    if (now - this.#scannedAllAt < this.#rescanAfterMs) return lowestOf([this.#latest, ...this.#old]) ?? "-infinity";
    this.#scannedAllAt = now;
    return "-infinity";
  }

  /** A scan found this first ready send. */
  advance({ at, isBehind }: FirstReady): void {
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

  /** A scan of the whole queue took this long. */
  scannedAll(tookMs: number): void {
    this.#rescanAfterMs = Math.min(rescanAfterMs.most, Math.max(rescanAfterMs.least, tookMs / shareOfTime));
  }
}

const newSends = "now() - interval '2 seconds'";

/** SQL: the columns of `FirstReady`, from the `fair_at` of the first ready send. */
export function firstReadyColumns(firstFairAt: string): string {
  return `least(${firstFairAt}, ${newSends}) as scan_start, coalesce(${firstFairAt} < ${newSends}, false) as is_behind`;
}

/** SQL: a time as text that sorts like the time. */
export function sortableText(time: string): string {
  return `to_char(${time} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US') || 'Z'`;
}

function lowestOf(times: (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).toSorted()[0];
}
