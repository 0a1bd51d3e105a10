import type { Config } from "../config.ts";
import { rangeProblem, readSchemaRange } from "../db/code-range.ts";
import type { Database } from "../db/database.ts";
import { findMissingMigrations, requireDurable } from "../db/require-usable.ts";
import { sqlState } from "../db/sql-state.ts";
import { ConfigurationError } from "../errors.ts";
import { rememberProvider } from "../provider/remember-provider.ts";

/** Migrations of this release are missing. `postern migrate` adds them, so a process can wait for it. */
export class SchemaMissingError extends ConfigurationError {
  readonly missing: string[];

  constructor(missing: string[]) {
    super(`The database lacks ${missing.join(", ")}. Run \`postern migrate\` first.`);
    this.missing = missing;
  }
}

/** Refuses to start on a database on which Postern cannot keep its guarantees. */
export async function requireUsableDatabase(db: Database, provider: Config["provider"]["kind"]): Promise<void> {
  await requireDurable(db);
  const missing = await findMissingMigrations(db).catch(schemaIsAbsent);
  if (missing.length > 0) throw new SchemaMissingError(missing);
  const problem = rangeProblem(await readSchemaRange(db));
  if (problem !== undefined) throw new ConfigurationError(`${problem.reason} ${problem.action}`);
  await rememberProvider(db, provider);
}

function schemaIsAbsent(error: unknown): string[] {
  if (sqlState(error) !== "42P01") throw error;
  return ["the Postern tables"];
}
