import type { Queryable } from "./database.ts";
import { expandFolder, stepNames, stepNumber } from "./schema-steps.ts";
import { sqlState } from "./sql-state.ts";

/**
 * Which code may run on which schema (docs/upgrades.md). The level of code is the number of the newest expand step that it knows.
 *
 * 1. The schema names the oldest code that may run on it (`schema_range.oldest_code`). Only `postern migrate --contract` raises it.
 * 2. The code names the oldest schema that it runs on: it needs all of its own steps.
 *
 * Accepting and claiming check both in the statement that writes, so no process outside of the range accepts or claims.
 */
export const codeLevel = Math.max(...stepNames(expandFolder).map(stepNumber));
const oldestSchema = codeLevel;

/** The application_name of a process. A contract step waits until no session of older code is left. */
export function applicationName(purpose: string): string {
  return `postern-${purpose}/${codeLevel}`;
}

/** SQL: this code may write on this schema. One block, because the table has one row. */
export const isInRange = `coalesce((select oldest_code <= ${codeLevel} and level >= ${oldestSchema} from schema_range), false)`;

/** SQL: true, or an error that undoes the statement. */
export const requireInRange = `case when ${isInRange} then true else refuse_code() end`;

export function isOutsideRange(error: unknown): boolean {
  return sqlState(error) === "PS001";
}

export interface SchemaRange {
  level: number;
  oldestCode: number;
}

export async function readSchemaRange(db: Queryable): Promise<SchemaRange> {
  const [range] = await db.query<SchemaRange>({
    name: "read-schema-range",
    text: `
      select level, oldest_code as "oldestCode"
      from schema_range`,
  });
  if (range === undefined) throw new Error("schema_range has no row");
  return range;
}

/** What is wrong and what to do; undefined when this code may run on the schema. */
export function rangeProblem({ level, oldestCode }: SchemaRange): { reason: string; action: string } | undefined {
  if (oldestCode > codeLevel) {
    return {
      reason: `This version of Postern (code ${codeLevel}) is too old for the schema, which permits code ${oldestCode} and newer.`,
      action: 'Start a newer version. It cannot be undone: see docs/upgrades.md, "Contract".',
    };
  }
  if (level < oldestSchema) {
    return {
      reason: `The schema (level ${level}) is too old for this version of Postern, which needs level ${oldestSchema}.`,
      action: "Run `postern migrate`.",
    };
  }
  return undefined;
}
