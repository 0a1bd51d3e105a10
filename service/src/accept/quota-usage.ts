import type { AccountQuotas } from "../accounts/quota-store.ts";
import type { Queryable } from "../db/database.ts";
import type { DatabaseClock } from "../db/database-clock.ts";
import { readQueuedRecipients } from "../queue/queued-recipients.ts";
import { findOldestContentAt } from "../storage/partitions.ts";
import { readContentBytes } from "../usage/content-bytes.ts";
import { recipientsToday } from "../usage/recipients-today.ts";

/** What all processes stored for an account in one mode. A quota that the account does not have is not read and counts 0. */
export interface QuotaUsage {
  /** Days since 1970; `recipientsToday` is of this day. */
  day: number;
  recipientsToday: number;
  queuedRecipients: number;
  storedContentBytes: number;
}

export type ReadQuotaUsage = (accounts: AccountQuotas[]) => Promise<QuotaUsage[]>;

const [hourMs, dayMs] = [3_600_000, 86_400_000];

export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

export function nextDay(ms: number): number {
  return (dayOf(ms) + 1) * dayMs;
}

/** Reads the usage of these accounts, in their order. */
export function createQuotaUsageReader(db: Queryable, clock: DatabaseClock): ReadQuotaUsage {
  const readContent = createContentReader(db, clock);
  return async (accounts) => {
    // The clock is never early. So a count of the old day is not taken for one of the new day.
    const day = dayOf(clock.now());
    const usages = accounts.map(() => ({ day, recipientsToday: 0, queuedRecipients: 0, storedContentBytes: 0 }));
    const fill = async (
      isLimited: (account: AccountQuotas) => boolean,
      field: "recipientsToday" | "queuedRecipients" | "storedContentBytes",
      read: (limited: AccountQuotas[]) => Promise<number[]>,
    ) => {
      const positions = [...accounts.keys()].filter((position) => isLimited(accounts[position] as AccountQuotas));
      if (positions.length === 0) return;
      const counts = await read(positions.map((position) => accounts[position] as AccountQuotas));
      for (const [index, position] of positions.entries()) {
        const usage = usages[position];
        if (usage !== undefined) usage[field] = counts[index] ?? 0;
      }
    };
    await fill(
      ({ recipientsPerDay, trial }) => recipientsPerDay !== null || trial !== null,
      "recipientsToday",
      (limited) => readRecipientsToday(db, limited),
    );
    await fill(
      ({ queuedRecipients }) => queuedRecipients !== null,
      "queuedRecipients",
      (limited) => readQueuedRecipients(db, limited),
    );
    await fill(({ storedContentBytes }) => storedContentBytes !== null, "storedContentBytes", readContent);
    return usages;
  };
}

async function readRecipientsToday(db: Queryable, accounts: AccountQuotas[]): Promise<number[]> {
  const rows = await recipientsToday(db, [...new Set(accounts.map(({ accountId }) => accountId))]);
  const counts = new Map(rows.map(({ accountId, mode, recipients }) => [`${accountId}/${mode}`, recipients]));
  return accounts.map(({ accountId, mode }) => counts.get(`${accountId}/${mode}`) ?? 0);
}

const rereadEarlierHoursMs = 60_000;
const recentHours = 2;

/** A month has hundreds of hours, and only the last ones change. So earlier hours are read once a minute. */
function createContentReader(db: Queryable, clock: DatabaseClock) {
  let [readAt, from, cut] = [Number.NEGATIVE_INFINITY, "", ""];
  const earlier = new Map<string, number>();
  return async (accounts: AccountQuotas[]): Promise<number[]> => {
    if (performance.now() - readAt > rereadEarlierHoursMs) {
      const oldest = await findOldestContentAt(db);
      cut = hourAt(clock.now() - recentHours * hourMs);
      from = oldest === undefined ? cut : hourAt(Date.parse(oldest));
      earlier.clear();
      readAt = performance.now();
    }
    const unknown = accounts.filter((account) => !earlier.has(keyOf(account)));
    const known = unknown.length === 0 ? [] : await readContentBytes(db, unknown, { from, to: cut });
    for (const [index, account] of unknown.entries()) earlier.set(keyOf(account), known[index] ?? 0);
    const recent = await readContentBytes(db, accounts, { from: cut, to: hourAt(clock.now() + dayMs) });
    return accounts.map((account, index) => (earlier.get(keyOf(account)) ?? 0) + (recent[index] ?? 0));
  };
}

function hourAt(ms: number): string {
  return new Date(Math.floor(ms / hourMs) * hourMs).toISOString();
}

function keyOf({ accountId, mode }: AccountQuotas): string {
  return `${accountId}/${mode}`;
}
