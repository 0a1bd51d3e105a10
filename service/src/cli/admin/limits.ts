import { setTimeout as sleep } from "node:timers/promises";
import { quotaRefreshMs } from "../../accept/quotas.ts";
import { type AccountLimits, setLimits } from "../../accounts/limit-store.ts";
import { findQuotas, type QuotaLimits, setQuotas } from "../../accounts/quota-store.ts";
import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import type { Mode } from "../../mode.ts";
import { aligned, countText, say } from "../../plain-text.ts";
import { correctQueuedRecipients, countEarlierSends } from "../../queue/count-queued-recipients.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";
import { type LimitUsage, readLimitUsage } from "./limit-usage.ts";

export interface LimitsOptions extends Partial<AccountLimits> {
  account: string;
  mode: Mode;
  /** Infinity is unlimited. */
  recipientsPerDay?: number;
  queuedRecipients?: number;
  contentBytes?: number;
  trial?: number;
  liftTrial?: true;
}

/** The sends that API processes accepted before they knew the quota are counted when all of them know it. */
const knownEverywhereMs = quotaRefreshMs + 1_000;

export async function runLimits(db: Database, options: LimitsOptions): Promise<void> {
  const { mode } = options;
  const { id, name } = await getAccountByIdOrEmail(db, options.account);
  const account = { accountId: id, mode };
  const before = await findQuotas(db, id, mode);
  const changes = quotaChanges(options);
  const limits = await db.withTransaction(async (tx) => {
    if (Object.keys(changes).length > 0) await setQuotas(tx, account, changes, commandLineActor());
    return setLimits(tx, id, options, commandLineActor());
  });
  const quotas = await findQuotas(db, id, mode);
  if (quotas.queuedRecipients !== null && (before.queuedRecipients === null || "queuedRecipients" in changes)) {
    say(`Counting the queued mail of ${name} …`);
    await sleep(knownEverywhereMs);
    await countEarlierSends(db, account);
    await correctQueuedRecipients(db, account);
  }
  say(describe({ name, id, mode, quotas, limits, usage: await readLimitUsage(db, account) }));
}

function quotaChanges(options: LimitsOptions): Partial<QuotaLimits> {
  const { recipientsPerDay, queuedRecipients, contentBytes, trial, liftTrial } = options;
  const orNull = (limit: number) => (Number.isFinite(limit) ? limit : null);
  return {
    ...(recipientsPerDay === undefined ? {} : { recipientsPerDay: orNull(recipientsPerDay) }),
    ...(queuedRecipients === undefined ? {} : { queuedRecipients: orNull(queuedRecipients) }),
    ...(contentBytes === undefined ? {} : { storedContentBytes: orNull(contentBytes) }),
    ...(trial === undefined ? {} : { trial }),
    ...(liftTrial === true ? { trial: null } : {}),
  };
}

interface Described {
  name: string;
  id: string;
  mode: Mode;
  quotas: QuotaLimits;
  limits: AccountLimits;
  usage: LimitUsage;
}

function describe({ name, id, mode, quotas, limits, usage }: Described): string {
  const { recipientsPerDay, queuedRecipients, storedContentBytes, trial } = quotas;
  const rows = [
    [`${mode === "live" ? "Live" : "Test"} mail`, "LIMIT", "USED"],
    ["  recipients a day", quotaText(recipientsPerDay), `${countText(usage.recipientsToday)} since 00:00 UTC`],
    ...(trial === null ? [] : [["  on trial, recipients a day", countText(trial), countText(usage.recipientsToday)]]),
    ["  queued recipients", quotaText(queuedRecipients), countText(usage.queuedRecipients)],
    ["  bytes of stored content", quotaText(storedContentBytes), countText(usage.storedContentBytes)],
    ["Live and test mail"],
    ["  domains", countText(limits.domains), countText(usage.domains)],
    ["  API keys", countText(limits.apiKeys), countText(usage.apiKeys)],
    ["  domain changes per minute", countText(limits.domainChangesPerMinute)],
    ["Live and test mail, each"],
    ["  sends per second", countText(limits.perSecond)],
    ["  sends per 10 seconds", countText(limits.per10Seconds)],
    ["  sends per minute", countText(limits.perMinute)],
  ];
  return `${name}  ${id}\n\n${aligned(rows)}`;
}

function quotaText(limit: number | null): string {
  return limit === null ? "unlimited" : countText(limit);
}
