import { createAcceptAdmission, createAcceptRoundTrips } from "../accept/accept-batch.ts";
import type { AcceptDeps } from "../accept/accept-send.ts";
import { openFingerprintKeys } from "../accept/fingerprint-keys.ts";
import { createQuotas } from "../accept/quotas.ts";
import { createRateRefusals } from "../accept/rate-refusals.ts";
import { createAttachmentStore } from "../attachments/attachment-store.ts";
import type { WorkerConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { createHint } from "../db/hints.ts";
import { sendQueuedChannel } from "../queue/claim-sends.ts";

/** Connections of an API process that only accepting uses: two batches, a key check, and the hint, the queue head, the quotas or the keys of fingerprints. */
export const acceptConnections = 4;

/** Two mails whose attachments are written, and the deletion of those that no send has. */
export const attachmentConnections = 3;

interface AcceptConfig {
  secrets: Pick<WorkerConfig["secrets"], "contentKey">;
}

/** Opens the dependencies of accept: its keys, a clock that follows the database, and the caches of this process. */
export async function openAcceptDeps(
  { secrets }: AcceptConfig,
  db: Database,
  attachmentDb: Database = db,
): Promise<AcceptDeps> {
  const clock = await openDatabaseClock(db);
  const admission = createAcceptAdmission();
  const quotas = createQuotas(db, clock);
  await quotas.refresh();
  return {
    db,
    clock,
    decide: createAcceptRoundTrips(db, clock, admission, quotas),
    requireCapacity: admission.requireCapacity,
    contentKey: secrets.contentKey.current,
    fingerprintKeys: await openFingerprintKeys(db, secrets.contentKey),
    refusals: createRateRefusals(),
    quotas,
    attachments: createAttachmentStore(attachmentDb, secrets.contentKey.current),
    hint: {
      live: createHint(db, sendQueuedChannel.live),
      test: createHint(db, sendQueuedChannel.test),
    },
  };
}
