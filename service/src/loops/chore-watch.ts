import type { Metrics } from "../metrics.ts";

/** A process looks for due chores every two seconds, and each look ends within ten, so an error that persists is repeated sooner than this. */
const lastErrorMs = 15_000;

export interface ChoreEnd {
  endedAt: number;
  hasFailed: boolean;
}

/** What this process knows about the chores that it runs. Its heartbeat reports it. */
export class ChoreWatch {
  readonly #metrics: Pick<Metrics, "choreRuns"> | undefined;
  #ends = new Map<string, ChoreEnd>();
  readonly #pauseSeconds = new Map<string, number>();
  #queueErrors: { since: number; lastAt: number } | undefined;

  constructor(metrics?: Pick<Metrics, "choreRuns">) {
    this.#metrics = metrics;
  }

  runs(name: string, pauseSeconds: number): void {
    this.#pauseSeconds.set(name, pauseSeconds);
  }

  /** By the name of each chore that this process runs. */
  pauseSeconds(): Record<string, number> {
    return Object.fromEntries(this.#pauseSeconds);
  }

  ended(name: string, { hasFailed }: { hasFailed: boolean }): void {
    this.#metrics?.choreRuns.inc({ chore: name, result: hasFailed ? "failed" : "done" });
    this.#ends.set(name, { endedAt: performance.now(), hasFailed });
  }

  /** The last runs since the previous call. A caller that could not store them returns them with `putBack`. */
  takeEnds(): Map<string, ChoreEnd> {
    const taken = this.#ends;
    this.#ends = new Map();
    return taken;
  }

  putBack(ends: Map<string, ChoreEnd>): void {
    this.#ends = new Map([...ends, ...this.#ends]);
  }

  /** This process could not read or write the queue of chores. */
  queueFailed(): void {
    const now = performance.now();
    this.#queueErrors = { since: this.#queueFailingSince() ?? now, lastAt: now };
  }

  queueFailingSeconds(): number | null {
    const since = this.#queueFailingSince();
    return since === undefined ? null : (performance.now() - since) / 1000;
  }

  #queueFailingSince(): number | undefined {
    const errors = this.#queueErrors;
    return errors !== undefined && performance.now() - errors.lastAt < lastErrorMs ? errors.since : undefined;
  }
}
