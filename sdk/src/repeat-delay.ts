import type { PosternError } from "./postern-error.ts";

const firstPauseSeconds = 0.25;
const longestPauseSeconds = 8;

interface Situation {
  /** How many attempts there were. */
  attempts: number;
  /** False when a repeat after an unknown outcome could do the thing twice. */
  isRepeatable: boolean;
  random(): number;
}

/** Seconds to wait before the next attempt; undefined when another one is of no use. */
export function repeatDelay(error: PosternError, { attempts, isRepeatable, random }: Situation): number | undefined {
  if (!isWorthRepeating(error, isRepeatable)) return undefined;
  const pause = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** (attempts - 1));
  // Never earlier than the service wants, and never all callers at the same moment.
  return error.retryAfter === undefined ? pause * (0.5 + random() / 2) : error.retryAfter + pause * random();
}

function isWorthRepeating({ code, status }: PosternError, isRepeatable: boolean): boolean {
  // Nothing was done.
  if (status === 429) return true;
  if (!isRepeatable) return false;
  return status === undefined ? code !== "ABORTED" : status >= 500;
}
