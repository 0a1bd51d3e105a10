import { countKeysByPepper } from "../api-keys/api-key-store.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { findMissingMigrations, requireDurable } from "../db/require-usable.ts";
import { sqlState } from "../db/sql-state.ts";
import { ConfigurationError } from "../errors.ts";
import type { Log } from "../log.ts";
import { rememberProvider } from "../provider/remember-provider.ts";

/** Refuses to start on a database on which Postern cannot keep its guarantees. */
export async function requireUsableDatabase(db: Database, config: Config, log: Log): Promise<void> {
  await requireDurable(db);
  const missing = await findMissingMigrations(db).catch(schemaIsAbsent);
  if (missing.length > 0) {
    throw new ConfigurationError(`The database lacks ${missing.join(", ")}. Run \`postern migrate\` first.`);
  }
  await rememberProvider(db, config.provider.kind);
  await warnAboutUnusableKeys(db, config, log);
}

function schemaIsAbsent(error: unknown): string[] {
  if (sqlState(error) !== "42P01") throw error;
  return ["the Postern tables"];
}

/** Without this warning, a pepper that was removed too early shows only as API keys that are refused. */
async function warnAboutUnusableKeys(db: Database, config: Config, log: Log): Promise<void> {
  const { current, second } = config.secrets.apiKeyPepper;
  for (const { pepperId, keys } of await countKeysByPepper(db)) {
    if (pepperId !== current.id && pepperId !== second?.id) {
      log.warn({ pepper_id: pepperId, keys }, "api-keys.pepper-missing");
    }
  }
}
