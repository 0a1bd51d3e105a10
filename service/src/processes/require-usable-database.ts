import { countKeysByPepper } from "../api-keys/api-key-store.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { findMissingMigrations, requireDurable } from "../db/require-usable.ts";
import { sqlState } from "../db/sql-state.ts";
import { ConfigurationError } from "../errors.ts";
import type { Log } from "../log.ts";
import { rememberProvider } from "../provider/remember-provider.ts";

/** Everything that would make the promises untrue is found before the process takes up its work. */
export async function requireUsableDatabase(db: Database, config: Config, log: Log): Promise<void> {
  await requireDurable(db);
  const missing = await findMissingMigrations(db).catch(schemaIsAbsent);
  if (missing.length > 0) {
    throw new ConfigurationError(`The database lacks ${missing.join(", ")}. Run \`postern migrate\` first.`);
  }
  await rememberProvider(db, config.provider.kind);
  await warnOfUnreachableKeys(db, config, log);
}

function schemaIsAbsent(error: unknown): string[] {
  if (sqlState(error) !== "42P01") throw error;
  return ["its tables"];
}

/** A pepper retired too early would show only as customers who cannot log in; here it is seen at start. */
async function warnOfUnreachableKeys(db: Database, config: Config, log: Log): Promise<void> {
  const { current, second } = config.secrets.apiKeyPepper;
  for (const { pepperId, keys } of await countKeysByPepper(db)) {
    if (pepperId !== current.id && pepperId !== second?.id) {
      log.warn({ pepper_id: pepperId, keys }, "api-keys.pepper-missing");
    }
  }
}
