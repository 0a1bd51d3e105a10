import { countKeysByPepper } from "../api-keys/api-key-store.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { SecretPair } from "../secret.ts";

/** Without this warning, a pepper that was removed too early shows only as API keys that are refused. */
export async function warnAboutUnusableKeys(db: Database, { current, second }: SecretPair, log: Log): Promise<void> {
  for (const { pepperId, keys } of await countKeysByPepper(db)) {
    if (pepperId !== current.id && pepperId !== second?.id) {
      log.warn({ pepper_id: pepperId, keys }, "api-keys.pepper-missing");
    }
  }
}
