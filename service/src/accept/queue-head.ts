import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";

export interface QueueHead {
  /** The `fair_at` that is being served in live and in test mode, as of a moment ago; `infinity` where there is no backlog. */
  current(): Promise<[string, string]>;
}

const refreshAfterMs = 1_000;
const fullScanAfterMs = 60_000;
/** An older head is discarded: the queue has moved on, and claims would find a send before the head only by a full scan. */
const maxAgeMs = 10_000;
/** How long the first request after that waits for the head. Without it, its mail would be behind the whole backlog. */
const longestWaitMs = 100;

/**
 * Where a send of an account without a backlog enters the queue. That is the head of the queue and not the clock: after an outage the
 * whole backlog has times in the past, and a new account would wait for all of it.
 *
 * The head only decides the order. So requests use the last one while the next is read, and a failed query changes nothing. Sends that have
 * waited for less than a second are no backlog: if new sends got their `fair_at`, it would fall further behind the clock with every refresh.
 */
export function createQueueHead(db: Queryable): QueueHead {
  const none: [string, string] = ["infinity", "infinity"];
  let heads = none;
  let readAt = Number.NEGATIVE_INFINITY;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let fullScanAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> = Promise.resolve();

  const refresh = async (now: number) => {
    // The sends before the last head are gone, but a scan would step over each of their dead index entries.
    const isFullScan = now - fullScanAt > fullScanAfterMs;
    if (isFullScan) fullScanAt = now;
    const from = heads.map((head) => (isFullScan || head === "infinity" ? "-infinity" : head));
    heads = await findQueueHeads(db, from);
    readAt = performance.now();
  };
  return {
    async current() {
      const now = performance.now();
      if (now - readAt > maxAgeMs) heads = none;
      if (now - refreshedAt >= refreshAfterMs) {
        refreshedAt = now;
        refreshing = refresh(now).catch(() => undefined);
      }
      if (now - readAt > maxAgeMs) await Promise.race([refreshing, sleep(longestWaitMs, undefined, { ref: false })]);
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
