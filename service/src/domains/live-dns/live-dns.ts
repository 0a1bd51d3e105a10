import { getServers } from "node:dns";
import { AppError } from "../../errors.ts";
import { createFairSlots } from "../../fair-slots.ts";
import type { Domain } from "../domain.ts";
import type { DnsServerAddress } from "./exchange-message.ts";
import { type DnsLook, lookAtDns } from "./look-at-dns.ts";
import { type ReachServer, reachServer } from "./reachable-server.ts";

export interface LiveDns {
  /** Throws RATE_LIMIT_EXCEEDED when the account looks too often. */
  look(domain: Domain): Promise<DnsLook>;
}

interface LiveDnsOptions {
  /** `ip`, `ip:port` or `[ip]:port`; an empty list means the resolvers of the system. */
  servers: string[];
  reach?: ReachServer;
  now?: () => number;
}

interface Kept {
  look: Promise<DnsLook>;
  endsAt: number;
}

export const looksPerMinute = { ofDomain: 6, ofAccount: 30 };
const minuteMs = 60_000;
const keptMs = 5_000;
const maxKept = 1_000;
const maxCounted = 10_000;

/**
 * Limits what one account can make this process ask DNS:
 * 1. A look serves every request for the same domain and records that arrives while it runs or within the next 5 seconds.
 * 2. Further looks: 6 a minute for a domain, 30 a minute for an account.
 * 3. At the same time run 2 looks of an account and 8 of all. Others wait for up to 5 seconds, and accounts alternate.
 */
export function createLiveDns({ servers, reach, now = () => performance.now() }: LiveDnsOptions): LiveDns {
  const resolvers = (servers.length > 0 ? servers : getServers()).map(parseServer);
  const deps = { resolvers, reach: reach ?? reachServer(resolvers) };
  const kept = new Map<string, Kept>();
  const domains = createMinuteCount(looksPerMinute.ofDomain, now);
  const accounts = createMinuteCount(looksPerMinute.ofAccount, now);
  const slots = createFairSlots({
    perOwner: 2,
    total: 8,
    waitingPerOwner: 10,
    waitingTotal: 200,
    maxWaitMs: 5_000,
    refuse: () => tooManyLooks(1),
  });

  return {
    look(domain) {
      const key = JSON.stringify([domain.accountId, domain.id, domain.dkimTokens, domain.mailFromSubdomain]);
      const earlier = kept.get(key);
      if (earlier !== undefined && now() < earlier.endsAt) return earlier.look;
      const waitMs = Math.max(domains.waitMs(`${domain.id}`), accounts.waitMs(domain.accountId));
      if (waitMs > 0) return Promise.reject(tooManyLooks(Math.ceil(waitMs / 1000)));
      domains.count(`${domain.id}`);
      accounts.count(domain.accountId);
      const look = slots.run(domain.accountId, () => lookAtDns(deps, domain));
      if (kept.size >= maxKept) kept.clear();
      // Ends 5 seconds after the look: until then nobody starts another one.
      const entry = { look, endsAt: Number.POSITIVE_INFINITY };
      kept.set(key, entry);
      const end = (keepMs: number) => {
        entry.endsAt = now() + keepMs;
      };
      look.then(
        () => end(keptMs),
        () => end(0),
      );
      return look;
    },
  };
}

/** Fixed windows of a minute that start with the first look after the last window. */
function createMinuteCount(limit: number, now: () => number) {
  const counts = new Map<string, { used: number; endsAt: number }>();
  const current = (key: string) => {
    const counted = counts.get(key);
    return counted !== undefined && now() < counted.endsAt ? counted : { used: 0, endsAt: now() + minuteMs };
  };
  return {
    /** 0 when one more is allowed. */
    waitMs(key: string): number {
      const { used, endsAt } = current(key);
      return used < limit ? 0 : endsAt - now();
    },
    count(key: string): void {
      const { used, endsAt } = current(key);
      if (counts.size >= maxCounted) counts.clear();
      counts.set(key, { used: used + 1, endsAt });
    },
  };
}

function parseServer(text: string): DnsServerAddress {
  const [, host = text, port = "53"] = /^\[(.+)\](?::(\d+))?$/.exec(text) ?? /^([\d.]+)(?::(\d+))?$/.exec(text) ?? [];
  return { host, port: Number(port) };
}

function tooManyLooks(retryAfterSeconds: number): AppError {
  const message = `This account looks at DNS too often. Try again in ${retryAfterSeconds} seconds.`;
  return new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds });
}
