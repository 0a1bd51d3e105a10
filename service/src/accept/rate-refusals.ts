import type { Mode } from "../sends/send-request.ts";
import type { RateUsage } from "./accept-batch.ts";

interface Account {
  accountId: string;
  mode: Mode;
}

export interface RateRefusals {
  remember(account: Account, retryMs: number, usage: RateUsage): void;
  /** How long nothing of this account can be admitted, as far as is known here; undefined when the database is to be asked. */
  find(account: Account): { retryMs: number; usage: RateUsage } | undefined;
}

const maxRemembered = 10_000;

/**
 * An account whose window is full cannot be admitted before its oldest entry leaves it, whoever asks. So a flood is refused
 * from memory until then and does not reach the row that its other requests and other processes need.
 */
export function createRateRefusals(now: () => number = () => performance.now()): RateRefusals {
  const until = new Map<string, { atMs: number; usage: RateUsage }>();
  return {
    remember({ accountId, mode }, retryMs, usage) {
      if (until.size >= maxRemembered) until.clear();
      until.set(`${accountId}/${mode}`, { atMs: now() + retryMs, usage });
    },
    find({ accountId, mode }) {
      const account = `${accountId}/${mode}`;
      const found = until.get(account);
      if (found === undefined) return undefined;
      const retryMs = Math.ceil(found.atMs - now());
      if (retryMs > 0) return { retryMs, usage: found.usage };
      until.delete(account);
      return undefined;
    },
  };
}
