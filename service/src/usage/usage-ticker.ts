import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import { startTicker } from "../loops/ticker.ts";
import type { RefusalCounts } from "./count-refusals.ts";
import { foldUsage } from "./usage-chores.ts";

const pauseMs = 5_000;
const maxFoldMs = 1_000;
/** About 100,000 deltas; reading them takes some milliseconds. */
const maxDeltaBytes = 8 * 1024 * 1024;

interface UsageTickerDeps {
  db: Queryable;
  log: Log;
  refusalCounts: RefusalCounts;
}

/**
 * What an API process does for usage: it stores its refusals. And when the table of deltas has become long, it folds some: accept goes
 * on while no worker runs, and reading usage must not become slow.
 */
export function startUsageTicker({ db, log, refusalCounts }: UsageTickerDeps): { stop(): Promise<void> } {
  const run = async () => {
    await refusalCounts.flush();
    if ((await sizeOfDeltas(db)) > maxDeltaBytes) await foldUsage(db, maxFoldMs);
  };
  const ticker = startTicker({ pauseMs, run, onFailure: (err) => log.warn({ err }, "usage.behind") });
  return {
    stop: async () => {
      await ticker.stop();
      await refusalCounts.flush().catch((err: unknown) => log.warn({ err }, "usage.behind"));
    },
  };
}

async function sizeOfDeltas(db: Queryable): Promise<number> {
  const [row] = await db.query<{ bytes: number }>({
    name: "size-of-usage-deltas",
    text: `select pg_relation_size('usage_deltas') as bytes`,
  });
  return row?.bytes ?? 0;
}
