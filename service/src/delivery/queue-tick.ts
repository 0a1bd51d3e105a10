import type { Queryable } from "../db/database.ts";
import { markExpiredLeasesInDoubt } from "../in-doubt/expired-leases.ts";
import { noteWorkersUp } from "../in-doubt/feedback-progress.ts";
import { failInDoubt, type InDoubtRule, resendInDoubt } from "../in-doubt/resolve-in-doubt.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Mode } from "../mode.ts";
import { takeDomainProbes } from "../queue/domain-probes.ts";
import { expireSends } from "../queue/expire-sends.ts";
import { unparkSends } from "../queue/parked-sends.ts";
import { promoteDueSends } from "../queue/promote-sends.ts";

export interface QueueUpkeep {
  db: Queryable;
  mode: Mode;
  rule: InDoubtRule & { inDoubtPolicy: "resend" | "fail" };
  log: Log;
  metrics: Metrics;
  /** Whether accounts send as SES tenants. */
  usesTenants?: boolean;
}

/**
 * Makes the moves that only time triggers: expired leases, sends in doubt, expired sends, due retries, released accounts, probes of denied domains. Every
 * worker runs it, and each row is moved by one of them. Returns whether any send became ready.
 */
export async function tickQueue({ db, mode, rule, log, metrics, usesTenants }: QueueUpkeep): Promise<boolean> {
  const expired = await markExpiredLeasesInDoubt(db, mode);
  if (expired > 0) log.warn({ mode, count: expired }, "delivery.leases-expired");
  // crash point: leases-expired
  // The sandbox keeps its reports in this database, so a pause of the workers loses none of them.
  if (mode === "live") await noteWorkersUp(db, mode);
  const policy = rule.inDoubtPolicy;
  const resolved = await (policy === "resend" ? resendInDoubt : failInDoubt)(db, mode, rule);
  for (const sendId of resolved) log.warn({ send_id: sendId, policy }, "delivery.in-doubt-resolved");
  metrics.inDoubtResolved.inc({ policy }, resolved.length);
  if (policy === "fail") metrics.sendsSettled.inc({ status: "failed" }, resolved.length);
  // crash point: in-doubt-resolved
  const ended = await expireSends(db, mode);
  if (ended > 0) log.info({ mode, count: ended }, "delivery.expired");
  metrics.sendsSettled.inc({ status: "failed" }, ended);
  const promoted = await promoteDueSends(db, mode);
  // crash point: sends-promoted
  const unparked = await unparkSends(db, mode);
  if (unparked > 0) log.info({ mode, count: unparked }, "delivery.unparked");
  // The sandbox denies no domain.
  const probes = mode === "live" ? await takeDomainProbes(db, mode, usesTenants) : 0;
  return promoted > 0 || unparked > 0 || probes > 0 || (policy === "resend" && resolved.length > 0);
}
