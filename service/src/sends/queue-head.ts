import type { Queryable } from "../db/database.ts";

export interface QueueHead {
  /** The turns that are being served now, of live and of test mail; `infinity` where nothing waits. At most a second old. */
  turns(): Promise<[string, string]>;
}

const lookAgainAfterMs = 1_000;

/**
 * Turns are handed out from the one being served on, and not from the clock: after an outage the whole backlog has turns
 * in the past, and a newcomer behind the clock would wait for all of it. An order only, so a second's delay costs nothing.
 */
export function createQueueHead(db: Queryable): QueueHead {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let turns: [string, string] = ["infinity", "infinity"];
  return {
    async turns() {
      if (performance.now() - lookedAt < lookAgainAfterMs) return turns;
      lookedAt = performance.now();
      turns = await findTurns(db);
      return turns;
    },
  };
}

async function findTurns(db: Queryable): Promise<[string, string]> {
  const [row] = await db.query<{ live: string; test: string }>({
    name: "find-queue-heads",
    text: `
      select coalesce(${firstOf("live")}, 'infinity')::text as live, coalesce(${firstOf("test")}, 'infinity')::text as test`,
  });
  return [row?.live ?? "infinity", row?.test ?? "infinity"];
}

function firstOf(mode: "live" | "test"): string {
  return `(
        select fair_at
        from send_queue
        where state = 'ready'
          and mode = '${mode}'
        order by fair_at
        limit 1
      )`;
}
