import type { Queryable } from "../db/database.ts";
import { findMissingMigrations } from "../db/require-usable.ts";
import { AppError } from "../errors.ts";

export interface Readiness {
  isReady: boolean;
  checks: { database: "ok" | "unreachable"; schema: "ok" | "unknown" | "unreadable" | { missing: string[] } };
}

/** Ready means that this process can do its own work; a provider in trouble would be no reason to take it out. */
export async function checkReadiness(db: Queryable): Promise<Readiness> {
  try {
    const missing = await findMissingMigrations(db);
    const isReady = missing.length === 0;
    return { isReady, checks: { database: "ok", schema: isReady ? "ok" : { missing } } };
  } catch (error) {
    const isUnreachable = error instanceof AppError && error.code === "UNAVAILABLE";
    const checks = isUnreachable
      ? ({ database: "unreachable", schema: "unknown" } as const)
      : ({ database: "ok", schema: "unreadable" } as const);
    return { isReady: false, checks };
  }
}

/** Answers questions within a second of each other from one look, so that probing cannot become load. */
export function shareForASecond<Result>(look: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; result: Promise<Result> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > 1000) last = { at: performance.now(), result: look() };
    return last.result;
  };
}
