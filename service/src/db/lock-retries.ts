import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { AppError } from "../errors.ts";
import { durationText } from "../plain-text.ts";
import { isContention, sqlState } from "./sql-state.ts";

export type Progress = (message: string) => void;

/**
 * A change of a table that waits for its lock makes every later statement on that table wait too. So it waits at most this long, gives
 * way to the statements behind it, and tries again.
 */
export const lockTimeoutMs = 2_000;
const minPauseMs = 2_000;
const maxPauseMs = 4_000;
const defaultWithinMs = 600_000;
const lookEveryMs = 500;

/** A session that holds a lock which `postern migrate` waits for. */
interface Blocker {
  pid: number;
  name: string;
  state: string;
  seconds: number;
}

export interface LockRetries {
  /** For the messages: what waits. */
  what: string;
  /** A connection beside the one that waits. */
  observer: pg.Client;
  /** The application_name of the session that waits. */
  waiting: string;
  report: Progress;
  withinMs?: number | undefined;
}

/** Repeats `work`, which a lock timeout or a deadlock rolled back whole, until it succeeds or the time is over. */
export async function untilLocked<Result>(options: LockRetries, work: () => Promise<Result>): Promise<Result> {
  const { what, report, withinMs = defaultWithinMs } = options;
  const startedAt = performance.now();
  for (;;) {
    const watch = watchBlockers(options);
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const holders = (await watch.seen()).map(describe);
      const by = holders.length === 0 ? "another session" : holders.join("; ");
      const waitedSeconds = (performance.now() - startedAt) / 1000;
      if (waitedSeconds * 1000 > withinMs) throw gaveUp(what, waitedSeconds, by, error);
      report(`${what}: waiting for a lock (${durationText(waitedSeconds)}) of ${by}`);
    } finally {
      watch.stop();
    }
    await sleep(minPauseMs + Math.random() * (maxPauseMs - minPauseMs));
  }
}

/** Reports who blocks `work` while it waits, for statements that may wait for long because they block nobody. */
export async function reportingBlockers<Result>(options: LockRetries, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const watch = watchBlockers(options);
  const timer = setInterval(() => {
    void watch.seen().then((blockers) => {
      const waiting = blockers.length === 0 ? "" : `, waiting for ${blockers.map(describe).join("; ")}`;
      options.report(`${options.what}: running (${durationText((performance.now() - startedAt) / 1000)})${waiting}`);
    });
  }, 10_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    watch.stop();
  }
}

export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === "55P03" || isContention(error);
}

function gaveUp(what: string, seconds: number, holders: string, cause: unknown): AppError {
  return new AppError(
    "UNAVAILABLE",
    `${what}: gave up after ${durationText(seconds)}, because ${holders} had a lock on one of its tables at every try. ` +
      "The steps before it are applied and stay. End that session (`select pg_terminate_backend(PID)`) or wait for it, " +
      "then run the command again.",
    { cause },
  );
}

/** After the lock timeout PostgreSQL no longer knows who held the lock, so it is asked while the statement waits. */
function watchBlockers({ observer, waiting }: LockRetries): { seen(): Promise<Blocker[]>; stop(): void } {
  let last: Blocker[] = [];
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = findBlockers(observer, waiting)
      .then((blockers) => {
        if (blockers.length > 0) last = blockers;
      })
      // The messages then name no session; the migration itself goes on.
      .catch(() => undefined);
  }, lookEveryMs);
  return {
    async seen() {
      await looking;
      return last;
    },
    stop: () => clearInterval(timer),
  };
}

async function findBlockers(observer: pg.Client, waiting: string): Promise<Blocker[]> {
  const { rows } = await observer.query<Blocker>(
    `select distinct holder.pid, holder.application_name as name, coalesce(holder.state, holder.backend_type) as state,
       extract(epoch from clock_timestamp() - coalesce(holder.xact_start, holder.backend_start))::float8 as seconds
     from pg_stat_activity waiting
     cross join lateral unnest(pg_blocking_pids(waiting.pid)) as blocking (pid)
     join pg_stat_activity holder on holder.pid = blocking.pid
     where waiting.datname = current_database() and waiting.application_name = $1 and waiting.wait_event_type = 'Lock'
     order by holder.pid`,
    [waiting],
  );
  return rows;
}

function describe({ pid, name, state, seconds }: Blocker): string {
  return `pid ${pid} (${name === "" ? "no application_name" : name}, ${state}, for ${durationText(seconds)})`;
}
