import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";

const everyMs = 200;

/**
 * Retries wait 5 s, 1 min, 5 min and longer. To keep a proof short, this moves the time of waiting deliveries to now, all the time, and
 * touches nothing else.
 */
export function hurryRetries(db: Database): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      await moveToNow(db).catch(() => undefined); // The database may be down.
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

async function moveToNow(db: Database): Promise<void> {
  await db.query({
    name: "hurry-retries",
    text: `
      with waiting as materialized (
        select delivery_id
        from webhook_queue
        where state = 'pending'
          and due_at > now()
        for update skip locked
      )
      update webhook_queue q
      set due_at = now()
      from waiting
      where q.delivery_id = waiting.delivery_id`,
  });
}
