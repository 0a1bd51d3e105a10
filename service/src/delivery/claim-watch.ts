import type { Mode } from "../mode.ts";

/** A single failure can be an interruption of milliseconds. */
const minFailures = 2;
/** Failing claims are repeated within seconds. After this time without one the loop waits for the pace, which is no failure. */
const lastFailureMs = 30_000;

interface Failures {
  since: number;
  lastAt: number;
  count: number;
}

/** What this process knows about its own claims. Its heartbeat and its liveness check report it. */
export class ClaimWatch {
  readonly #claimedAt = new Map<Mode, number>();
  readonly #failures = new Map<Mode, Failures>();

  succeeded(mode: Mode, sends: number): void {
    this.#failures.delete(mode);
    if (sends > 0) this.#claimedAt.set(mode, performance.now());
  }

  failed(mode: Mode): void {
    const now = performance.now();
    const { since, count } = this.#failures.get(mode) ?? { since: now, count: 0 };
    this.#failures.set(mode, { since, lastAt: now, count: count + 1 });
  }

  /** Null while claims of both modes succeed, or none was tried. */
  failingSeconds(): number | null {
    const now = performance.now();
    const failing = [...this.#failures.values()].filter(
      ({ count, lastAt }) => count >= minFailures && now - lastAt < lastFailureMs,
    );
    return failing.length === 0 ? null : (now - Math.min(...failing.map(({ since }) => since))) / 1000;
  }

  claimedSecondsAgo(mode: Mode): number | null {
    const at = this.#claimedAt.get(mode);
    return at === undefined ? null : (performance.now() - at) / 1000;
  }
}
