import type { Environment } from "../../src/config.ts";
import type { PgbouncerVersion } from "../../test/pgbouncer/pgbouncer-files.ts";
import { startPgbouncer } from "../../test/pgbouncer/start-pgbouncer.ts";
import { spawnPostern } from "../../test/spawn-postern.ts";
import { killProcess } from "../cell/feedback-cell.ts";
import type { PooledCell } from "./pooled-cell.ts";

interface WrongSetUp {
  name: string;
  version?: PgbouncerVersion;
  changes: Record<string, string | undefined>;
  settings?: Environment;
  fix: string;
}

export const wrongSetUps: WrongSetUp[] = [
  {
    name: "1.18",
    version: "outdated",
    changes: { max_prepared_statements: undefined },
    fix: "PgBouncer 1.21 or newer",
  },
  {
    name: "max_prepared_statements = 0",
    changes: { max_prepared_statements: "0" },
    fix: "max_prepared_statements = 200",
  },
  { name: "pool_mode = statement", changes: { pool_mode: "statement" }, fix: "Set pool_mode = transaction" },
  {
    name: "no DATABASE_DIRECT_URL",
    changes: {},
    settings: { DATABASE_DIRECT_URL: undefined },
    fix: "set DATABASE_DIRECT_URL to the address of PostgreSQL itself",
  },
];

/** Starts an API behind each wrong set-up. Returns those that ended with exit code 78 and named the fix, and the others. */
export async function tryWrongSetUps(
  cell: PooledCell,
  setUps: WrongSetUp[],
): Promise<{ refused: string[]; others: string[] }> {
  const refused: string[] = [];
  const others: string[] = [];
  for (const { name, version = "current", changes, settings, fix } of setUps) {
    const pgbouncer = await startPgbouncer(cell.url, { version, changes });
    try {
      const answer = await startOn({ ...cell.pooled, DATABASE_URL: pgbouncer.url, ...settings });
      const isRefused = answer.includes("ended with code 78") && answer.includes(fix);
      if (isRefused) refused.push(name);
      else others.push(`${name}: ${answer}`);
    } finally {
      await pgbouncer.stop();
    }
  }
  return { refused, others };
}

async function startOn(environment: Environment): Promise<string> {
  try {
    await killProcess(await spawnPostern("api", environment));
    return "started";
  } catch (error) {
    return String(error);
  }
}
