import { type AccountQuotas, listQuotas } from "../accounts/quota-store.ts";
import type { Queryable } from "../db/database.ts";
import type { DatabaseClock } from "../db/database-clock.ts";
import type { Mode } from "../mode.ts";
import { costOf, type QuotaCost, type QuotaState, quotaStates } from "./quota-states.ts";
import { createQuotaUsageReader, dayOf, type QuotaUsage } from "./quota-usage.ts";

interface Account {
  accountId: string;
  mode: Mode;
}

export interface Quotas {
  /** Reads usage that is older than 5 seconds. Undefined when nothing has to be read; never rejects. */
  readStale(accounts: Account[]): Promise<void> | undefined;
  /** The first quota that this send would exceed, as far as this process knows. */
  findExceeded(account: Account, cost: QuotaCost): QuotaState | undefined;
  /** Whether the account has a quota for queued recipients, so that its sends are counted in the queue. */
  isQueueCounted(account: Account): boolean;
  /** Counts a stored send until the next refresh. `startedAt`: when its statement started, by `performance.now()`. */
  add(account: Account, cost: QuotaCost, startedAt: number): void;
  /** The quotas of the account; empty without quotas. */
  statesOf(account: Account): QuotaState[];
  /** Reads all quotas, and the usage of active accounts. If it fails, the last known state holds. */
  refresh(): Promise<void>;
}

export const noQuotas: Quotas = {
  readStale: () => undefined,
  findExceeded: () => undefined,
  isQueueCounted: () => false,
  add: () => undefined,
  statesOf: () => [],
  refresh: async () => undefined,
};

/** How often a process reads the quotas, and the usage of active accounts. */
export const quotaRefreshMs = 2_000;
/** An account without requests for so long is not read again before its next request. */
const activeMs = 10_000;
/** A request waits for the usage of its account if it is older than this. */
const staleMs = 5_000;
/** So long at most. If the read fails or takes longer, no request waits for one in the next 5 seconds. */
const maxWaitMs = 500;
const accountsPerQuery = 500;

interface Entry {
  quotas: AccountQuotas;
  usage: QuotaUsage | undefined;
  /** When `usage` had arrived, by `performance.now()`. */
  readAt: number;
  activeAt: number;
  /** What this process stored since `readAt`. */
  added: QuotaCost;
  /** The day of `added.recipients`. */
  addedOn: number;
}

/**
 * The quotas of this process: what all processes stored, as read at most 5 seconds ago, plus what this process stored since. Requests
 * read them in memory, so an account without quotas costs no query. Two rules:
 *
 * 1. A permitted request is never refused because a send counted twice. A statement that started before the usage arrived may be
 *    part of it, so this process does not add it; the next refresh counts it.
 * 2. If the usage cannot be read, the last known usage and this process's own sends count on. Sends of other processes are missing then:
 *    a quota must not stop mail because a count is late.
 */
export function createQuotas(db: Queryable, clock: DatabaseClock): Quotas {
  let entries = new Map<string, Entry>();
  let noWaitUntil = Number.NEGATIVE_INFINITY;
  const readUsage = createQuotaUsageReader(db, clock);
  const find = ({ accountId, mode }: Account) => (entries.size === 0 ? undefined : entries.get(`${accountId}/${mode}`));
  const statesOf = (account: Account): QuotaState[] => {
    const [entry, nowMs] = [find(account), clock.now()];
    return entry === undefined ? [] : quotaStates(entry.quotas, usedNow(entry, nowMs), nowMs);
  };
  const read = async (due: Entry[]): Promise<void> => {
    for (let start = 0; start < due.length; start += accountsPerQuery) {
      const some = due.slice(start, start + accountsPerQuery);
      const askedAt = performance.now();
      const usages = await readUsage(some.map(({ quotas }) => quotas));
      const readAt = performance.now();
      for (const [index, entry] of some.entries()) {
        // Another read started later and was faster.
        if (entry.readAt > askedAt) continue;
        Object.assign(entry, { usage: usages[index], readAt, added: nothing });
      }
    }
  };
  return {
    statesOf,
    readStale(accounts) {
      if (entries.size === 0 || performance.now() < noWaitUntil) return undefined;
      const oldest = performance.now() - staleMs;
      const known = new Set(accounts.map(find));
      const stale = [...known].filter((entry) => entry !== undefined && entry.readAt < oldest) as Entry[];
      if (stale.length === 0) return undefined;
      return settledInTime(read(stale)).then((isRead) => {
        if (!isRead) noWaitUntil = performance.now() + staleMs;
      });
    },
    findExceeded(account, cost) {
      const entry = find(account);
      if (entry === undefined) return undefined;
      entry.activeAt = performance.now();
      return statesOf(account).find(({ name, limit, used }) => used + costOf(name, cost) > limit);
    },
    isQueueCounted: (account) => (find(account)?.quotas.queuedRecipients ?? null) !== null,
    add(account, cost, startedAt) {
      const entry = find(account);
      if (entry === undefined || startedAt < entry.readAt) return;
      addTo(entry, cost, dayOf(clock.now()));
    },
    async refresh() {
      const listed = await listQuotas(db);
      entries = new Map(listed.map((quotas) => [`${quotas.accountId}/${quotas.mode}`, newEntry(quotas, find(quotas))]));
      const activeSince = performance.now() - activeMs;
      await read([...entries.values()].filter(({ activeAt }) => activeAt > activeSince));
    },
  };
}

/** True when the read has ended in time without an error. */
async function settledInTime(read: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), maxWaitMs);
  });
  const done = read.then(
    () => true,
    () => false,
  );
  const isRead = await Promise.race([done, late]);
  clearTimeout(timer);
  return isRead;
}

const nothing: QuotaCost = { recipients: 0, queuedRecipients: 0, contentBytes: 0 };

/** The same object for a known account: a request that is in progress still adds to it. */
function newEntry(quotas: AccountQuotas, known: Entry | undefined): Entry {
  if (known === undefined) {
    const never = Number.NEGATIVE_INFINITY;
    return { quotas, usage: undefined, readAt: never, activeAt: never, added: nothing, addedOn: 0 };
  }
  // A quota that was just set has no usage yet.
  const isSame = JSON.stringify(known.quotas) === JSON.stringify(quotas);
  if (!isSame) Object.assign(known, { quotas, readAt: Number.NEGATIVE_INFINITY });
  return known;
}

function addTo(entry: Entry, cost: QuotaCost, day: number): void {
  const earlier = entry.addedOn === day ? entry.added.recipients : 0;
  entry.added = {
    recipients: cost.recipients + earlier,
    queuedRecipients: cost.queuedRecipients + entry.added.queuedRecipients,
    contentBytes: cost.contentBytes + entry.added.contentBytes,
  };
  entry.addedOn = day;
}

/** Before the first read only what this process stored. */
function usedNow({ usage, added, addedOn }: Entry, nowMs: number): QuotaCost {
  const day = dayOf(nowMs);
  const earlier = usage?.day === day ? usage.recipientsToday : 0;
  return {
    recipients: earlier + (addedOn === day ? added.recipients : 0),
    queuedRecipients: (usage?.queuedRecipients ?? 0) + added.queuedRecipients,
    contentBytes: (usage?.storedContentBytes ?? 0) + added.contentBytes,
  };
}
