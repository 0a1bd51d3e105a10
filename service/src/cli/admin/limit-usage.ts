import { createQuotaUsageReader } from "../../accept/quota-usage.ts";
import { type ApiKey, listApiKeys } from "../../api-keys/api-key-store.ts";
import type { Database } from "../../db/database.ts";
import { openDatabaseClock } from "../../db/database-clock.ts";
import { listDomains } from "../../domains/domain-store.ts";
import type { Mode } from "../../mode.ts";
import { countQueued } from "../../queue/queued-of-account.ts";

export interface LimitUsage {
  recipientsToday: number;
  queuedRecipients: number;
  storedContentBytes: number;
  domains: number;
  apiKeys: number;
}

/** Of one account and mode. The queue is read page by page, because only accounts with a quota have a count of it. */
export async function readLimitUsage(db: Database, account: { accountId: string; mode: Mode }): Promise<LimitUsage> {
  const clock = await openDatabaseClock(db);
  const read = createQuotaUsageReader(db, clock);
  const all = { ...account, recipientsPerDay: 0, queuedRecipients: null, storedContentBytes: 0, trial: null };
  const [usage] = await read([all]);
  const queued = await countQueued(db, account);
  const isUsable = ({ expiresAt }: ApiKey) => expiresAt === null || Date.parse(expiresAt) > clock.now();
  const ofAccount = db.forAccount(account.accountId);
  return {
    recipientsToday: usage?.recipientsToday ?? 0,
    queuedRecipients: queued.reduce((sum, { recipients }) => sum + recipients, 0),
    storedContentBytes: usage?.storedContentBytes ?? 0,
    domains: (await listDomains(ofAccount)).length,
    apiKeys: (await listApiKeys(ofAccount)).filter(isUsable).length,
  };
}
