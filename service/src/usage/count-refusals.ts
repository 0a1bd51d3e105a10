import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";

/** More than any process meets within seconds. Beyond it, refusals of further keys are not counted. */
const maxCounts = 10_000;

export interface Refusal {
  accountId: string;
  apiKeyId: string;
  /** The error code of the answer. */
  code: string;
}

export type RefusalCounts = ReturnType<typeof createRefusalCounts>;

/**
 * Counts refused requests in memory until the next `flush`, because a refusal must stay cheap. Approximate: a crash loses the last
 * seconds, and a flush whose answer was lost counts again.
 */
export function createRefusalCounts(db: Queryable) {
  let counts = new Map<string, Refusal & { count: number }>();

  function add({ accountId, apiKeyId, code }: Refusal, count: number): void {
    const key = `${apiKeyId} ${code}`;
    const known = counts.get(key);
    if (known !== undefined) known.count += count;
    else if (counts.size < maxCounts) counts.set(key, { accountId, apiKeyId, code, count });
  }

  return {
    count: (refusal: Refusal) => add(refusal, 1),
    async flush(): Promise<void> {
      if (counts.size === 0) return;
      const flushed = [...counts.values()];
      counts = new Map();
      try {
        await storeRefusals(db, flushed);
      } catch (error) {
        for (const refusal of flushed) add(refusal, refusal.count);
        throw error;
      }
    },
  };
}

async function storeRefusals(db: Queryable, refusals: (Refusal & { count: number })[]): Promise<void> {
  await db.query({
    name: "store-refusals",
    text: `
      insert into usage_refusals as known (account_id, api_key_id, hour, code, count)
      select account_id, api_key_id, date_trunc('hour', now(), 'UTC'), code, count
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) as given (account_id, api_key_id, code, count)
      order by account_id, api_key_id, code
      on conflict (account_id, api_key_id, hour, code) do update
      set count = known.count + excluded.count`,
    values: [
      uuidArray(refusals.map(({ accountId }) => accountId)),
      uuidArray(refusals.map(({ apiKeyId }) => apiKeyId)),
      refusals.map(({ code }) => code),
      refusals.map(({ count }) => count),
    ],
  });
}
