import type { Mode } from "../mode.ts";
import type { RateUsage } from "./accept-batch.ts";

interface Account {
  accountId: string;
  mode: Mode;
}

export interface RateRefusals {
  remember(account: Account, retryMs: number, usage: RateUsage): void;
  /** How long this account cannot be admitted, as far as this process knows; undefined when the database must decide. */
  find(account: Account): { retryMs: number; usage: RateUsage } | undefined;
}

const maxRemembered = 10_000;

/**
 * No request of an account with a full window can be admitted before the oldest entry leaves the window. So a flood is refused from
 * memory until then and does not reach the row that other processes need.
 */
export function createRateRefusals(now: () => number = () => performance.now()): RateRefusals {
  const refusedUntil = new Map<string, { atMs: number; usage: RateUsage }>();
  return {
    remember({ accountId, mode }, retryMs, usage) {
      if (refusedUntil.size >= maxRemembered) refusedUntil.clear();
      refusedUntil.set(`${accountId}/${mode}`, { atMs: now() + retryMs, usage });
    },
    find({ accountId, mode }) {
      const account = `${accountId}/${mode}`;
      const found = refusedUntil.get(account);
      if (found === undefined) return undefined;
      const retryMs = Math.ceil(found.atMs - now());
      if (retryMs > 0) return { retryMs, usage: found.usage };
      refusedUntil.delete(account);
      return undefined;
    },
  };
}
