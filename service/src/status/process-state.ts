import type { Queryable } from "../db/database.ts";
import { isWithin } from "../db/time-check.ts";
import { freshSeconds, type ProcessRole } from "./process-store.ts";

/** A process that ran during the last day, as its last heartbeat described it. */
export interface ProcessState {
  id: string;
  role: ProcessRole;
  name: string;
  version: string;
  startedSecondsAgo: number;
  seenSecondsAgo: number;
  /** `vanished`: no heartbeat for 20 s and no orderly stop. It crashed, was killed, or is frozen. */
  condition: "alive" | "stopped" | "vanished";
  /** A process of the same role started since, or shortly before. */
  isReplaced: boolean;
  claimsFailingSeconds: number | null;
  choresFailingSeconds: number | null;
  liveClaimedSecondsAgo: number | null;
  testClaimedSecondsAgo: number | null;
  liveClaimableSeconds: number | null;
  testClaimableSeconds: number | null;
}

const secondsSince = (column: string) => `extract(epoch from now() - p.${column})::float8`;

export async function readProcesses(db: Queryable): Promise<ProcessState[]> {
  return db.query<ProcessState>({
    name: "read-processes",
    text: `
      select p.id, p.role, p.name, p.version,
        ${secondsSince("started_at")} as "startedSecondsAgo", ${secondsSince("seen_at")} as "seenSecondsAgo",
        case when p.stopped_at is not null then 'stopped'
          when ${isWithin("p.seen_at", String(freshSeconds))} then 'alive'
          else 'vanished' end as condition,
        exists (
          select from processes other
          where other.id <> p.id and other.role = p.role and other.started_at > p.seen_at - interval '5 minutes'
            and other.stopped_at is null and ${isWithin("other.seen_at", String(freshSeconds))}
        ) as "isReplaced",
        ${secondsSince("claims_failing_since")} as "claimsFailingSeconds",
        ${secondsSince("chores_failing_since")} as "choresFailingSeconds",
        ${secondsSince("live_claimed_at")} as "liveClaimedSecondsAgo",
        ${secondsSince("test_claimed_at")} as "testClaimedSecondsAgo",
        ${secondsSince("live_claimable_since")} as "liveClaimableSeconds",
        ${secondsSince("test_claimable_since")} as "testClaimableSeconds"
      from processes p
      order by p.role desc, p.started_at`,
  });
}

export interface FailingChore {
  name: string;
  failingSeconds: number;
}

export async function listFailingChores(db: Queryable): Promise<FailingChore[]> {
  return db.query<FailingChore>({
    name: "list-failing-chores",
    text: `
      select name, extract(epoch from now() - failing_since)::float8 as "failingSeconds"
      from chores
      where failing_since is not null
      order by name`,
  });
}
