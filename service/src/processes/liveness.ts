import type { ClaimWatch } from "../delivery/claim-watch.ts";
import { canUseQueue } from "../queue/can-use-queue.ts";
import { cacheForOneSecond } from "../status/readiness.ts";
import type { Started } from "./started.ts";

export interface Liveness {
  isLive: boolean;
  claimsFailingSeconds: number | null;
  reason?: string;
}

const longFailingSeconds = 30;

/** A process that stops needs no restart, and a second signal would end it at once, with work in progress. */
export function watchLiveness(
  claims: ClaimWatch,
  databaseUrl: string,
  started: Pick<Started, "isStopping">,
): () => Promise<Liveness> {
  const check = cacheForOneSecond(() => checkLiveness(claims, databaseUrl));
  return async () => {
    const found = await check();
    return started.isStopping ? { ...found, isLive: true, reason: "The process is stopping." } : found;
  };
}

/**
 * Not live means that a supervisor should restart this process: its claims have failed for 30 s although the database works. While
 * the database refuses connections, is full, read-only or locked, a restart would not help and would do harm: the worker keeps the
 * answers of SES in memory until it can store them (loops/until-written.ts), and mail whose answer is lost may go out twice.
 */
export async function checkLiveness(claims: ClaimWatch, databaseUrl: string): Promise<Liveness> {
  const claimsFailingSeconds = claims.failingSeconds();
  if ((claimsFailingSeconds ?? 0) < longFailingSeconds) return { isLive: true, claimsFailingSeconds };
  return !claims.isDatabaseUnavailable() && (await canUseQueue(databaseUrl))
    ? { isLive: false, claimsFailingSeconds, reason: "Claims fail although the database works." }
    : { isLive: true, claimsFailingSeconds, reason: "The database is unavailable. A restart would not help." };
}
