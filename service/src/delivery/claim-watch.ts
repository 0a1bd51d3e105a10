import { isConnectionError, sqlState } from "../db/sql-state.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";

/** A single failure can be an interruption of milliseconds. */
const minFailures = 2;
/** Failing claims are repeated within seconds. After this time without one the loop waits for the pace, which is no failure. */
const lastFailureMs = 30_000;

interface Failures {
  since: number;
  lastAt: number;
  count: number;
  lastError: unknown;
}

/** What this process knows about its own claims. Its heartbeat and its liveness check report it. */
export class ClaimWatch {
  readonly #claimedAt = new Map<Mode, number>();
  readonly #failures = new Map<Mode, Failures>();

  succeeded(mode: Mode, sends: number): void {
    this.#failures.delete(mode);
    if (sends > 0) this.#claimedAt.set(mode, performance.now());
  }

  failed(mode: Mode, error: unknown): void {
    const now = performance.now();
    const { since, count } = this.#failures.get(mode) ?? { since: now, count: 0 };
    this.#failures.set(mode, { since, lastAt: now, count: count + 1, lastError: error });
  }

  /** Null while claims of both modes succeed, or none was tried. */
  failingSeconds(): number | null {
    const failing = this.#failing();
    return failing.length === 0 ? null : (performance.now() - Math.min(...failing.map(({ since }) => since))) / 1000;
  }

  /** The server itself answered that it cannot work for anybody: a full disk, read-only, or a statement that waited too long. */
  isDatabaseUnavailable(): boolean {
    return this.#failing().some(({ lastError }) => isServerUnavailable(lastError));
  }

  claimedSecondsAgo(mode: Mode): number | null {
    const at = this.#claimedAt.get(mode);
    return at === undefined ? null : (performance.now() - at) / 1000;
  }

  #failing(): Failures[] {
    const now = performance.now();
    return [...this.#failures.values()].filter(
      ({ count, lastAt }) => count >= minFailures && now - lastAt < lastFailureMs,
    );
  }
}

/** `db/database.ts` throws an AppError whose cause is the answer of the server. */
function isServerUnavailable(error: unknown): boolean {
  const answer = error instanceof AppError ? error.cause : error;
  return sqlState(answer) !== undefined && isConnectionError(answer);
}
