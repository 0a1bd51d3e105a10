import { rangeProblem, readSchemaRange } from "../db/code-range.ts";
import type { Queryable } from "../db/database.ts";
import { findMissingMigrations } from "../db/require-usable.ts";
import { AppError } from "../errors.ts";
import { inspectPartitions, minAheadSeconds, type PartitionState } from "../storage/partitions.ts";

type PartitionCheck = "ok" | "unknown" | { missing: string[]; run: string } | { degraded: string[] };

export interface Readiness {
  isReady: boolean;
  checks: {
    database: "ok" | "unreachable";
    schema: "ok" | "unknown" | "unreadable" | { missing: string[] } | { reason: string; action: string };
    partitions: PartitionCheck;
  };
}

/** Postern creates at most 200 partitions of a table. */
const manyPartitions = 180;

/** The database does not answer, or not within the time that the caller has. */
export const unreachable: Readiness = notReady({
  database: "unreachable",
  schema: "unknown",
  partitions: "unknown",
});

/** Ready means that this process can do its own work; a problem of the provider does not make it unready. */
export async function checkReadiness(db: Queryable): Promise<Readiness> {
  try {
    const missing = await findMissingMigrations(db);
    if (missing.length > 0) return notReady({ database: "ok", schema: { missing }, partitions: "unknown" });
    const problem = rangeProblem(await readSchemaRange(db));
    if (problem !== undefined) return notReady({ database: "ok", schema: problem, partitions: "unknown" });
    const states = await inspectPartitions(db);
    const isReady = states.every((state) => state.coversNow);
    return { isReady, checks: { database: "ok", schema: "ok", partitions: checkPartitions(states) } };
  } catch (error) {
    const isUnreachable = error instanceof AppError && error.code === "UNAVAILABLE";
    return isUnreachable ? unreachable : notReady({ database: "ok", schema: "unreadable", partitions: "unknown" });
  }
}

function notReady(checks: Readiness["checks"]): Readiness {
  return { isReady: false, checks };
}

function checkPartitions(states: PartitionState[]): PartitionCheck {
  const missing = states.filter((state) => !state.coversNow).map((state) => state.table);
  if (missing.length > 0) return { missing, run: "postern migrate" };
  const degraded = states.flatMap(partitionProblems);
  return degraded.length === 0 ? "ok" : { degraded };
}

function partitionProblems({ table, attached, aheadSeconds, isDefaultUsed }: PartitionState): string[] {
  const days = Math.floor(aheadSeconds / 86_400);
  return [
    ...(aheadSeconds < minAheadSeconds
      ? [`the partitions of ${table} end in ${days} days; check that a worker is running`]
      : []),
    ...(isDefaultUsed ? [`${table}_default has rows`] : []),
    ...(attached > manyPartitions ? [`${table} has ${attached} partitions of at most 200`] : []),
  ];
}

/** Shares one result between the calls of a second, so that frequent probes cause no load. */
export function cacheForOneSecond<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; result: Promise<Result> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > 1000) last = { at: performance.now(), result: read() };
    return last.result;
  };
}
