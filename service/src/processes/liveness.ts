import { canConnect } from "../db/can-connect.ts";
import type { ClaimWatch } from "../delivery/claim-watch.ts";

export interface Liveness {
  isLive: boolean;
  claimsFailingSeconds: number | null;
  reason?: string;
}

const longFailingSeconds = 30;

/**
 * Not live means that a supervisor should restart this process: its claims have failed for 30 s although the database accepts a new
 * connection. While the database accepts none, a restart would not help and would do harm: the worker keeps the answers of SES in
 * memory until it can store them (delivery/until-written.ts), and mail whose answer is lost may go out twice.
 */
export async function checkLiveness(claims: ClaimWatch, databaseUrl: string): Promise<Liveness> {
  const claimsFailingSeconds = claims.failingSeconds();
  if ((claimsFailingSeconds ?? 0) < longFailingSeconds) return { isLive: true, claimsFailingSeconds };
  return (await canConnect(databaseUrl))
    ? { isLive: false, claimsFailingSeconds, reason: "Claims fail although the database can be reached." }
    : { isLive: true, claimsFailingSeconds, reason: "The database cannot be reached. A restart would not help." };
}
