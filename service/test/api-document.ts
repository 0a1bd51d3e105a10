import { createAcceptRoundTrips } from "../src/accept/accept-batch.ts";
import { noQuotas } from "../src/accept/quotas.ts";
import { createRateRefusals } from "../src/accept/rate-refusals.ts";
import { createApiServer } from "../src/api/http/create-api-server.ts";
import { createAttachmentStore } from "../src/attachments/attachment-store.ts";
import { createDatabaseClock } from "../src/db/database-clock.ts";
import { createLog } from "../src/log.ts";
import { createMetrics } from "../src/metrics.ts";
import { createApiDeps } from "../src/processes/api-deps.ts";
import { openTestDatabase } from "./template-database.ts";
import { aConfig } from "./test-config.ts";

/** The OpenAPI document as the server generates it. Generating it runs no query. */
export async function apiDocument(): Promise<unknown> {
  const config = aConfig();
  const db = openTestDatabase(config.database.url);
  const clock = createDatabaseClock(0);
  const acceptDeps = {
    db,
    clock,
    decide: createAcceptRoundTrips(db, clock),
    requireCapacity: () => undefined,
    contentKey: config.secrets.contentKey.current,
    fingerprintKeys: { of: () => config.secrets.contentKey.current.key },
    quotas: noQuotas,
    refusals: createRateRefusals(),
    attachments: createAttachmentStore(db, config.secrets.contentKey.current),
    hint: { live: () => undefined, test: () => undefined },
  };
  const deps = { db, log: createLog("silent"), metrics: createMetrics(), domainDeps: undefined, acceptDeps };
  const app = await createApiServer(createApiDeps(config, deps));
  try {
    return app.swagger();
  } finally {
    await app.close();
    await db.close();
  }
}
