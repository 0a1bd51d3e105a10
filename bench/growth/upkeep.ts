import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../service/src/db/database.ts";
import { foldListChanges } from "../../service/src/db/list-counts.ts";
import { dropOldContents } from "../../service/src/storage/old-contents.ts";
import { makePartitionsAhead } from "../../service/src/storage/partitions.ts";
import { retentionDays } from "./load-world.ts";
import { weekMs } from "./time-ranges.ts";
import type { World } from "./world.ts";

export interface Upkeep {
  /** Partitions made and dropped, changes of lists folded. */
  made: number;
  dropped: number;
  folded: number;
}

const foldPauseMs = 200;
const foldedAtOnce = 5_000;

/**
 * What a worker's chores do, by their own functions, beside what is measured. Each round is a week later for retention and a month
 * later for partitions, so that there is something to do in each.
 */
export function startUpkeep(db: Database, world: World, round: number, rounds: number): { stop(): Promise<Upkeep> } {
  const stopping = new AbortController();
  const done = keepUp(db, world, { round, rounds }, stopping.signal);
  // Its failure is told by stop(); until then it must not end the process.
  done.catch(() => undefined);
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

async function keepUp(
  db: Database,
  world: World,
  { round, rounds }: { round: number; rounds: number },
  signal: AbortSignal,
): Promise<Upkeep> {
  const dropAt = new Date(Date.now() - (rounds - 1 - round) * weekMs).toISOString();
  const kept: Upkeep = { made: 0, dropped: 0, folded: 0 };
  let failure: unknown = new Error("there was no time for upkeep");
  while (!signal.aborted) {
    // A lock that was not to be had is asked for again, as the chores do.
    if (failure !== undefined) {
      const contents = await dropOldContents(db, retentionDays, dropAt);
      const { made, failures } = await makePartitionsAhead(...partitionsFrom(db, world, round));
      kept.made += made.length;
      kept.dropped += contents.partitions.length;
      failure = contents.failure ?? failures[0]?.error;
    }
    kept.folded += await foldListChanges(db, foldedAtOnce);
    await sleep(foldPauseMs, undefined, { signal }).catch(() => undefined);
  }
  if (failure !== undefined) throw failure;
  return kept;
}

/** Where there are 200 already, no more are made; whether any is missing is asked all the same. */
function partitionsFrom(db: Database, { partitions }: World, round: number): Parameters<typeof makePartitionsAhead> {
  if (partitions === "200 weeks") return [db, "week"];
  const at = new Date();
  at.setUTCMonth(at.getUTCMonth() + round + 1, 1);
  return [db, "month", at.toISOString()];
}
