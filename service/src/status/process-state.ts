import type { Queryable } from "../db/database.ts";
import { isWithin } from "../db/time-check.ts";
import { freshSeconds, type ProcessRole } from "./process-store.ts";

/** A process as its last heartbeat described it. */
export interface ProcessState {
  id: string;
  role: ProcessRole;
  name: string;
  version: string;
  startedSecondsAgo: number;
  seenSecondsAgo: number;
  /** `vanished`: no heartbeat for 20 s and no orderly stop. It crashed, was killed, or is frozen. */
  /** The schema no longer permits its code. */
  isOutdated: boolean;
  condition: "alive" | "stopped" | "vanished";
  /** A process of the same role that started since, or shortly before, is alive. */
  isReplaced: boolean;
  claimsFailingSeconds: number | null;
  choresFailingSeconds: number | null;
  liveClaimedSecondsAgo: number | null;
  testClaimedSecondsAgo: number | null;
  liveClaimableSeconds: number | null;
  testClaimableSeconds: number | null;
}

const isAlive = (process: string) =>
  `${process}.stopped_at is null and ${isWithin(`${process}.seen_at`, String(freshSeconds))}`;
const secondsSince = (column: string) => `extract(epoch from now() - p.${column})::float8`;

/** The processes of the last hour. The last worker is listed even if it was seen earlier, so that status can say when. */
export async function readProcesses(db: Queryable): Promise<ProcessState[]> {
  return db.query<ProcessState>({
    name: "read-processes",
    text: `
      with newest as (
        select role, max(started_at) as started_at
        from processes alive
        where ${isAlive("alive")}
        group by role
      ), last_worker as (
        select id
        from processes
        where role <> 'api'
        order by seen_at desc
        limit 1
      )
      select p.id, p.role, p.name, p.version,
        ${secondsSince("started_at")} as "startedSecondsAgo", ${secondsSince("seen_at")} as "seenSecondsAgo",
        coalesce(p.code_level, 79) < (select oldest_code from schema_range) as "isOutdated",
        case when p.stopped_at is not null then 'stopped'
          when ${isWithin("p.seen_at", String(freshSeconds))} then 'alive'
          else 'vanished' end as condition,
        coalesce(not (${isAlive("p")}) and newest.started_at > p.seen_at - interval '5 minutes', false) as "isReplaced",
        ${secondsSince("claims_failing_since")} as "claimsFailingSeconds",
        ${secondsSince("chores_failing_since")} as "choresFailingSeconds",
        ${secondsSince("live_claimed_at")} as "liveClaimedSecondsAgo",
        ${secondsSince("test_claimed_at")} as "testClaimedSecondsAgo",
        ${secondsSince("live_claimable_since")} as "liveClaimableSeconds",
        ${secondsSince("test_claimable_since")} as "testClaimableSeconds"
      from processes p
      left join newest on newest.role = p.role
      where p.seen_at > now() - interval '1 hour' or p.id in (select id from last_worker)
      order by p.role desc, p.started_at`,
  });
}
