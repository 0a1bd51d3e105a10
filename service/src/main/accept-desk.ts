import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { createHint } from "../db/hints.ts";
import { createAcceptBatch } from "../sends/accept-batch.ts";
import type { AcceptDesk } from "../sends/accept-send.ts";
import { openFingerprintKey } from "../sends/fingerprint-key.ts";
import { createRateRefusals } from "../sends/rate-refusals.ts";
import { sendQueuedChannel } from "../sends/send-hint.ts";

/** What accepting needs beyond a database: the keys, the time of the database, and the memory of this process. */
export async function openAcceptDesk(config: Config, db: Database): Promise<AcceptDesk> {
  const clock = await openDatabaseClock(db);
  return {
    db,
    clock,
    decide: createAcceptBatch(db, clock),
    contentKey: config.secrets.contentKey.current,
    fingerprintKey: await openFingerprintKey(db, config.secrets.contentKey),
    refusals: createRateRefusals(),
    hint: createHint(db, sendQueuedChannel),
  };
}
