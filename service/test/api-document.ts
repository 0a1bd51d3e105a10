import { createApiServer } from "../src/api/server.ts";
import { createLog } from "../src/log.ts";
import { createApiParts } from "../src/main/api-parts.ts";
import { createMetrics } from "../src/metrics.ts";
import { openTestDatabase } from "./template-database.ts";
import { aConfig } from "./test-config.ts";

/** The OpenAPI document as the server generates it; no database is asked for it. */
export async function apiDocument(): Promise<unknown> {
  const config = aConfig();
  const db = openTestDatabase(config.database.url);
  const app = await createApiServer(
    createApiParts(config, { db, log: createLog("silent"), metrics: createMetrics(), domainDesk: undefined }),
  );
  try {
    return app.swagger();
  } finally {
    await app.close();
    await db.close();
  }
}
