import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";

/** More than any process meets within seconds. Beyond it, refusals of further keys, codes and hours are not counted. */
const maxCounts = 10_000;

export interface Refusal {
  accountId: string;
  apiKeyId: string;
  /** The error code of the answer. */
  code: string;
}

interface Counted extends Refusal {
  /** Of the refusals: hours since 1970. A flush can be late. */
  hour: number;
  count: number;
}

const hourMs = 3_600_000;

export type RefusalCounts = ReturnType<typeof createRefusalCounts>;

/**
 * Counts refused requests in memory until the next `flush`, because a refusal must stay cheap. Approximate: a crash loses the last
 * seconds, and a flush whose answer was lost counts again.
 */
export function createRefusalCounts(db: Queryable) {
  let counts = new Map<string, Counted>();

  function add(more: Counted): void {
    const key = `${more.hour} ${more.apiKeyId} ${more.code}`;
    const known = counts.get(key);
    if (known !== undefined) known.count += more.count;
    else if (counts.size < maxCounts) counts.set(key, more);
  }

  return {
    count: ({ accountId, apiKeyId, code }: Refusal) =>
      add({ accountId, apiKeyId, code, hour: Math.floor(Date.now() / hourMs), count: 1 }),
    async flush(): Promise<void> {
      if (counts.size === 0) return;
      const flushed = [...counts.values()];
      counts = new Map();
      try {
        await storeRefusals(db, flushed);
      } catch (error) {
        for (const counted of flushed) add(counted);
        throw error;
      }
    },
  };
}

async function storeRefusals(db: Queryable, refusals: Counted[]): Promise<void> {
  await db.query({
    name: "store-refusals",
    text: `
      insert into usage_refusals as known (account_id, api_key_id, hour, code, count)
      select account_id, api_key_id, hour_at(hour), code, count
      from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::bigint[]) as given (account_id, api_key_id, hour, code, count)
      order by account_id, api_key_id, hour, code
      on conflict (account_id, api_key_id, hour, code) do update
      set count = known.count + excluded.count`,
    values: [
      uuidArray(refusals.map(({ accountId }) => accountId)),
      uuidArray(refusals.map(({ apiKeyId }) => apiKeyId)),
      refusals.map(({ hour }) => hour),
      refusals.map(({ code }) => code),
      refusals.map(({ count }) => count),
    ],
  });
}
