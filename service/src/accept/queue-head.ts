import type { Queryable } from "../db/database.ts";

export interface QueueHead {
  /** The turns that are being served, of live and of test mail, as they were a moment ago; `infinity` where nothing waits long. */
  turns(): [string, string];
}

const lookAgainAfterMs = 1_000;
const lookFromTheStartAfterMs = 60_000;
/** Who has not looked for so long knows nothing; behind a head that is long gone a send would be overlooked at first. */
const forgottenAfterMs = 10_000;

/**
 * Turns are handed out from the one being served on, and not from the clock: after an outage the whole backlog has turns
 * in the past, and a newcomer behind the clock would wait for all of it. It is an order only, so nobody waits for it to be
 * looked up, and a look that fails changes nothing. What waits for less than a second is no backlog: were its turn handed out,
 * those who got it would be found waiting with it at the next look, and turns would fall ever further behind the clock.
 */
export function createQueueHead(db: Queryable): QueueHead {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lookedFromTheStartAt = Number.NEGATIVE_INFINITY;
  let turns: [string, string] = ["infinity", "infinity"];
  return {
    turns() {
      const now = performance.now();
      if (now - lookedAt < lookAgainAfterMs) return turns;
      if (now - lookedAt > forgottenAfterMs) turns = ["infinity", "infinity"];
      lookedAt = now;
      // What lies before the last head is gone, but its dead entries would be stepped over one by one.
      const isFromTheStart = now - lookedFromTheStartAt > lookFromTheStartAfterMs;
      if (isFromTheStart) lookedFromTheStartAt = now;
      const after = turns.map((turn) => (isFromTheStart || turn === "infinity" ? "-infinity" : turn));
      findQueueHeads(db, after).then(
        (found) => {
          turns = found;
        },
        () => undefined,
      );
      return turns;
    },
  };
}

async function findQueueHeads(db: Queryable, after: string[]): Promise<[string, string]> {
  const [row] = await db.query<{ live: string; test: string }>({
    name: "find-queue-heads",
    text: `
      select coalesce(${firstOf("live", 1)}, 'infinity')::text as live,
        coalesce(${firstOf("test", 2)}, 'infinity')::text as test`,
    values: after,
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
