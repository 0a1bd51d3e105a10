import { type AccountQuotas, listQuotas } from "../accounts/quota-store.ts";
import type { Queryable } from "../db/database.ts";
import type { DatabaseClock } from "../db/database-clock.ts";
import type { Mode } from "../mode.ts";
import { createQuotaUsageReader, dayOf, nextDay, type QuotaUsage } from "./quota-usage.ts";

interface Account {
  accountId: string;
  mode: Mode;
}

/** What a send adds to the usage of its account. */
export interface QuotaCost {
  recipients: number;
  /** Recipients that are not suppressed. */
  queuedRecipients: number;
  contentBytes: number;
}

export type QuotaName = "recipients_per_day" | "queued_recipients" | "stored_content_bytes";

export interface QuotaState {
  name: QuotaName;
  limit: number;
  used: number;
  /** The limit is that of a trial. */
  isTrial: boolean;
  /** When a full quota can have room. */
  retryAfterSeconds: number;
}

export interface Quotas {
  /** The first quota that this send would exceed, as far as this process knows. */
  findExceeded(account: Account, cost: QuotaCost): QuotaState | undefined;
  /** Whether the account has a quota for queued recipients, so that its sends are counted in the queue. */
  isQueueCounted(account: Account): boolean;
  /** Counts a stored send until the next refresh. `startedAt`: when its statement started, by `performance.now()`. */
  add(account: Account, cost: QuotaCost, startedAt: number): void;
  /** The quotas of the account; empty without quotas. */
  statesOf(account: Account): QuotaState[];
  /** Reads the quotas and the usage of active accounts. If it fails, the last known state holds. */
  refresh(): Promise<void>;
}

export const noQuotas: Quotas = {
  findExceeded: () => undefined,
  isQueueCounted: () => false,
  add: () => undefined,
  statesOf: () => [],
  refresh: async () => undefined,
};

/** With the time of the query, an API process knows what all processes accepted up to 5 seconds ago. */
export const quotaRefreshMs = 2_000;
/** An account without requests for so long is not read again before its next request. */
const activeMs = 60_000;
const retryQueuedSeconds = 10;
/** Content is dropped by weeks, so an hour decides little; an operator may raise the quota at any time. */
const retryContentSeconds = 3_600;

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
 * The quotas of this process: what all processes stored, read every two seconds, plus what this process stored since. Requests read
 * them in memory, so an account without quotas costs no query. Two rules:
 *
 * 1. A permitted request is never refused because a send counted twice. A statement that started before the usage arrived may be
 *    part of it, so this process does not add it; the next refresh counts it.
 * 2. If a refresh fails, the last known usage and this process's own sends count on. Sends of other processes are missing then.
 */
export function createQuotas(db: Queryable, clock: DatabaseClock): Quotas {
  let entries = new Map<string, Entry>();
  const readUsage = createQuotaUsageReader(db, clock);
  const find = ({ accountId, mode }: Account) => entries.get(`${accountId}/${mode}`);
  const statesOf = (account: Account): QuotaState[] => {
    const entry = find(account);
    return entry?.usage === undefined ? [] : quotaStates(entry.quotas, usedNow(entry, clock.now()), clock.now());
  };
  return {
    statesOf,
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
      const day = dayOf(clock.now());
      const isSameDay = entry.addedOn === day;
      entry.added = {
        recipients: cost.recipients + (isSameDay ? entry.added.recipients : 0),
        queuedRecipients: cost.queuedRecipients + entry.added.queuedRecipients,
        contentBytes: cost.contentBytes + entry.added.contentBytes,
      };
      entry.addedOn = day;
    },
    async refresh() {
      const listed = await listQuotas(db);
      entries = new Map(listed.map((quotas) => [`${quotas.accountId}/${quotas.mode}`, newEntry(quotas, find(quotas))]));
      const due = [...entries.values()].filter((entry) => isDue(entry, clock.now()));
      for (let start = 0; start < due.length; start += accountsPerQuery) {
        const some = due.slice(start, start + accountsPerQuery);
        const usages = await readUsage(some.map(({ quotas }) => quotas));
        const readAt = performance.now();
        for (const [index, entry] of some.entries()) {
          entry.usage = usages[index];
          entry.readAt = readAt;
          entry.added = nothing;
        }
      }
    },
  };
}

const accountsPerQuery = 500;
const nothing: QuotaCost = { recipients: 0, queuedRecipients: 0, contentBytes: 0 };

/** The same object for a known account: a request that is in progress still adds to it. */
function newEntry(quotas: AccountQuotas, known: Entry | undefined): Entry {
  if (known === undefined) {
    const never = Number.NEGATIVE_INFINITY;
    return { quotas, usage: undefined, readAt: never, activeAt: never, added: nothing, addedOn: 0 };
  }
  known.quotas = quotas;
  return known;
}

/** A full queue or store empties without requests; a full day ends by the clock. */
function isDue(entry: Entry, nowMs: number): boolean {
  if (entry.usage === undefined || performance.now() - entry.activeAt < activeMs) return true;
  return quotaStates(entry.quotas, usedNow(entry, nowMs), nowMs).some(
    ({ name, limit, used }) => name !== "recipients_per_day" && used >= limit,
  );
}

function usedNow({ usage, added, addedOn }: Entry, nowMs: number): QuotaCost {
  if (usage === undefined) return nothing;
  const day = dayOf(nowMs);
  const earlier = usage.day === day ? usage.recipientsToday : 0;
  return {
    recipients: earlier + (addedOn === day ? added.recipients : 0),
    queuedRecipients: usage.queuedRecipients + added.queuedRecipients,
    contentBytes: usage.storedContentBytes + added.contentBytes,
  };
}

/** The quotas that are set, with their usage. */
function quotaStates(
  { recipientsPerDay, trial, queuedRecipients, storedContentBytes }: AccountQuotas,
  used: QuotaCost,
  nowMs: number,
): QuotaState[] {
  const isTrial = trial !== null && (recipientsPerDay === null || trial <= recipientsPerDay);
  const perDay = isTrial ? trial : recipientsPerDay;
  const untilMidnight = Math.max(1, Math.ceil((nextDay(nowMs) - nowMs) / 1000));
  const states = [
    { name: "recipients_per_day", limit: perDay, used: used.recipients, isTrial, retryAfterSeconds: untilMidnight },
    {
      name: "queued_recipients",
      limit: queuedRecipients,
      used: used.queuedRecipients,
      isTrial: false,
      retryAfterSeconds: retryQueuedSeconds,
    },
    {
      name: "stored_content_bytes",
      limit: storedContentBytes,
      used: used.contentBytes,
      isTrial: false,
      retryAfterSeconds: retryContentSeconds,
    },
  ] as const;
  return states.flatMap(({ limit, ...state }) => (limit === null ? [] : [{ ...state, limit }]));
}

function costOf(name: QuotaName, { recipients, queuedRecipients, contentBytes }: QuotaCost): number {
  switch (name) {
    case "recipients_per_day":
      return recipients;
    case "queued_recipients":
      return queuedRecipients;
    case "stored_content_bytes":
      return contentBytes;
  }
}
