import type { WorkerConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { openNameLocks } from "../db/name-locks.ts";
import type { DomainDeps } from "../domains/register-domain.ts";
import type { Log } from "../log.ts";
import { configurationSetNameOf } from "../provider/cell-names.ts";
import { createSesProvider } from "../provider/ses/ses-provider.ts";

/** Undefined until AWS_FEEDBACK_TOPIC_ARN, which `postern aws setup` prints, is set. */
export function openDomainDeps(
  config: WorkerConfig,
  db: Database,
  log: Log,
): { deps: DomainDeps; close(): Promise<void> } | undefined {
  const { region, endpoints, awsAccountId, partition } = config.provider;
  if (awsAccountId === undefined || partition === undefined) return undefined;
  const locks = openNameLocks({
    directUrl: config.database.directUrl,
    onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
  });
  const provider = createSesProvider({ region, endpoint: endpoints.ses, accountId: awsAccountId, partition });
  return {
    deps: { db, locks, provider, configurationSetName: configurationSetNameOf(config.cellCode) },
    close: () => locks.close(),
  };
}
