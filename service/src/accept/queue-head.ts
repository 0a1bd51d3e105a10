import type { Queryable } from "../db/database.ts";

export interface QueueHead {
  /** The `fair_at` that is being served in live and in test mode, as of a moment ago; `infinity` where there is no backlog. */
  current(): [string, string];
}

const refreshAfterMs = 1_000;
const fullScanAfterMs = 60_000;
/** An older head is discarded: the queue has moved on, and claims would find a send before the head only by a full scan. */
const maxAgeMs = 10_000;

/**
 * Where a send of an account without a backlog enters the queue. That is the head of the queue and not the clock: after an outage the
 * whole backlog has times in the past, and a new account would wait for all of it.
 *
 * The head only decides the order. So no request waits for it, and a failed query changes nothing. Sends that have waited for less
 * than a second are no backlog: if new sends got their `fair_at`, it would fall further behind the clock with every refresh.
 */
export function createQueueHead(db: Queryable): QueueHead {
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let fullScanAt = Number.NEGATIVE_INFINITY;
  let heads: [string, string] = ["infinity", "infinity"];
  return {
    current() {
      const now = performance.now();
      if (now - refreshedAt < refreshAfterMs) return heads;
      if (now - refreshedAt > maxAgeMs) heads = ["infinity", "infinity"];
      refreshedAt = now;
      // The sends before the last head are gone, but a scan would step over each of their dead index entries.
      const isFullScan = now - fullScanAt > fullScanAfterMs;
      if (isFullScan) fullScanAt = now;
      const from = heads.map((head) => (isFullScan || head === "infinity" ? "-infinity" : head));
      findQueueHeads(db, from).then(
        (found) => {
          heads = found;
        },
        () => undefined,
      );
      return heads;
    },
  };
}

async function findQueueHeads(db: Queryable, from: string[]): Promise<[string, string]> {
  const [row] = await db.query<{ live: string; test: string }>({
    name: "find-queue-heads",
    text: `
      select coalesce(${firstOf("live", 1)}, 'infinity')::text as live,
        coalesce(${firstOf("test", 2)}, 'infinity')::text as test`,
    values: from,
  });
  return [row?.live ?? "infinity", row?.test ?? "infinity"];
}

function firstOf(mode: "live" | "test", parameter: number): string {
  return `(
        select fair_at
        from send_queue
        where state = 'ready'
          and mode = '${mode}'
          and fair_at >= $${parameter}::timestamptz
          and fair_at < now() - interval '1 second'
        order by fair_at
        limit 1
      )`;
}
