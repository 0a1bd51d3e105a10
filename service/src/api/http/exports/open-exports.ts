import { AppError } from "../../../errors.ts";

export interface OpenExports {
  /** Throws 429 when too many exports are open. Otherwise counts one more, until the returned function is called. */
  open(accountId: string): () => void;
}

const maxPerAccount = 2;
const maxTotal = 16;
const retryAfterSeconds = 30;

/** Each open export keeps a page in memory for as long as its client reads slowly, so their number in this process is limited. */
export function createOpenExports(): OpenExports {
  const countOf = new Map<string, number>();
  let total = 0;
  return {
    open(accountId) {
      const count = countOf.get(accountId) ?? 0;
      if (count >= maxPerAccount) {
        throw tooMany(`The account has ${maxPerAccount} exports in progress, as many as it may have at a time.`);
      }
      if (total >= maxTotal) throw tooMany("Too many exports of all accounts are in progress.");
      countOf.set(accountId, count + 1);
      total += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        total -= 1;
        const left = (countOf.get(accountId) ?? 1) - 1;
        if (left === 0) countOf.delete(accountId);
        else countOf.set(accountId, left);
      };
    },
  };
}

function tooMany(reason: string): AppError {
  const message = `${reason} Repeat the request when one has ended, or after ${retryAfterSeconds} s.`;
  return new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds });
}
