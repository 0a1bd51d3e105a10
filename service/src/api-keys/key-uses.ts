import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";

/** More than any process meets within a minute. Beyond it, the first uses of further keys are noted late. */
const maxKnown = 50_000;
const pauseMs = 60_000;

export type KeyUses = ReturnType<typeof createKeyUses>;

/**
 * Notes in memory which keys were used, and stores `last_used_at` with the next `flush`, at most once a minute for each key. Approximate:
 * a crash loses the last seconds.
 */
export function createKeyUses(db: Queryable, now: () => number = () => performance.now()) {
  const notedAt = new Map<string, number>();
  let unwritten = new Set<string>();
  return {
    note(keyId: string): void {
      const before = notedAt.get(keyId);
      if (before !== undefined && now() - before < pauseMs) return;
      if (before === undefined && notedAt.size >= maxKnown) notedAt.clear();
      notedAt.set(keyId, now());
      if (unwritten.size < maxKnown) unwritten.add(keyId);
    },
    async flush(): Promise<void> {
      if (unwritten.size === 0) return;
      const flushed = unwritten;
      unwritten = new Set();
      try {
        await storeUses(db, [...flushed]);
      } catch (error) {
        for (const keyId of flushed) unwritten.add(keyId);
        throw error;
      }
    },
  };
}

/** Other processes note the same keys, so the statement keeps the pause as well. */
async function storeUses(db: Queryable, keyIds: string[]): Promise<void> {
  await db.query({
    name: "store-key-uses",
    text: `
      with used as materialized (
        select k.id
        from api_keys k
        where k.id = any ($1::uuid[])
          and (k.last_used_at is null or k.last_used_at <= now() - interval '1 minute')
        order by k.id
        for no key update
      )
      update api_keys k
      set last_used_at = now()
      from used
      where ${equalByIndex("k.id", "used.id")}`,
    values: [uuidArray(keyIds)],
  });
}
