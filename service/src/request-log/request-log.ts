import { randomUUIDv7 } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import type { LoggedRequest } from "./logged-request.ts";
import { type StoredEntry, storeRequests } from "./store-requests.ts";

/** So that neither a slow database nor one account can take the memory of the process. */
const maxWaiting = 5_000;
const maxWaitingOfAccount = 1_000;
const setSize = 500;
/** A flush ends after this time. The deadlines of the pool end its last statement. */
const maxFlushMs = 5_000;
const samplePauseMs = 60_000;
const maxSampled = 50_000;
const hourMs = 3_600_000;

/** `waiting`: too many wait to be stored; `write`: the database refused or was too slow; `limit`: the hour of the account is full. */
export type DropReason = "waiting" | "write" | "limit";

interface RequestLogDeps {
  db: Queryable;
  onDrop: (reason: DropReason, entries: number) => void;
  now?: () => number;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/**
 * Every refused request of an account, and of accepted ones the first of each API key, route and minute. Entries wait in memory until the
 * next `flush`, so that no request waits for the log. It gives entries up rather than wait: a crash loses the last seconds.
 */
export function createRequestLog({ db, onDrop, now = Date.now }: RequestLogDeps) {
  const waiting: StoredEntry[] = [];
  const waitingOf = new Map<string, number>();
  const sampledAt = new Map<string, number>();
  /** What the database has no room for in `fullHour`. */
  let full = new Set<string>();
  let fullHour = 0;

  function add(request: LoggedRequest): void {
    const { accountId } = request.caller;
    const at = now();
    const hour = Math.floor(at / hourMs);
    const code = request.errorCode ?? "accepted";
    if (hour !== fullHour) [full, fullHour] = [new Set(), hour];
    const own = waitingOf.get(accountId) ?? 0;
    if (full.has(`${accountId} ${code}`)) onDrop("limit", 1);
    else if (own >= maxWaitingOfAccount || waiting.length >= maxWaiting) onDrop("waiting", 1);
    else {
      waitingOf.set(accountId, own + 1);
      waiting.push({ ...request, id: randomUUIDv7(), hour, code });
    }
  }

  function takeSet(): StoredEntry[] {
    const taken = waiting.splice(0, setSize);
    if (waiting.length === 0) waitingOf.clear();
    else
      for (const { caller } of taken)
        waitingOf.set(caller.accountId, Math.max(0, (waitingOf.get(caller.accountId) ?? 0) - 1));
    return taken;
  }

  async function storeSet(): Promise<void> {
    const entries = takeSet();
    try {
      const filled = await storeRequests(db, entries);
      for (const { accountId, hour, code } of filled) if (hour === fullHour) full.add(`${accountId} ${code}`);
      const left = filled.reduce((sum, one) => sum + one.leftOut, 0);
      if (left > 0) onDrop("limit", left);
    } catch (error) {
      onDrop("write", entries.length);
      throw error;
    }
  }

  return {
    note: add,
    /** Whether an accepted request belongs to the sample. Asked for every request, so that nothing is built for the others. */
    isSampled(apiKeyId: string, method: string, route: string): boolean {
      const key = `${apiKeyId} ${method} ${route}`;
      const before = sampledAt.get(key);
      const at = now();
      if (before !== undefined && at - before < samplePauseMs) return false;
      if (before === undefined && sampledAt.size >= maxSampled) sampledAt.clear();
      sampledAt.set(key, at);
      return true;
    },
    async flush(): Promise<void> {
      const endsAt = performance.now() + maxFlushMs;
      while (waiting.length > 0 && performance.now() < endsAt) await storeSet();
    },
  };
}
