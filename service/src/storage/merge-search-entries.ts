import type { Database, Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { double, halve, runSearchSteps, type StepSize } from "./search-steps.ts";

/** One statement moves a range of hashes, so its entries go to neighbouring pages of the index. */
const allHashes = 2 ** 36;
const [fewEntries, manyEntries] = [1_000, 10_000];

/** The size of a step is the width of its range. */
export function newMergeSize(): StepSize {
  return { value: 2 ** 24, smallest: 2 ** 16, largest: allHashes };
}

/**
 * Serves all accounts: moves the search entries of fine buckets to the coarse bucket that contains them, a day after its end; the
 * migration 0029_search explains the buckets. One statement moves a range and records it, so every search finds each entry exactly once.
 * Stops after `maxMs`. Returns the number of moved entries.
 */
export function mergeSearchEntries(db: Database, maxMs: number, at?: string, size = newMergeSize()): Promise<number> {
  return runSearchSteps(db, maxMs, size, async (tx) => {
    const moved = await mergeRange(tx, size.value, at);
    if (moved !== undefined && moved < fewEntries) double(size);
    if (moved !== undefined && moved > manyEntries) halve(size);
    return moved;
  });
}

/** Undefined when no coarse bucket ended a day ago. */
async function mergeRange(tx: Transaction, width: number, at: string | undefined): Promise<number | undefined> {
  const [row] = await tx.query<{ moved: number }>({
    name: "merge-search-entries",
    text: `
      with range as materialized (
        select merging_bucket as bucket, merging_hash as first_hash, least(merging_hash + $1::bigint, ${allHashes}) as end_hash
        from search_progress
        where merging_bucket < fine_bucket(first_id_at(coalesce($2::timestamptz, now()) - interval '1 day')) >> 10
      ), moved as (
        delete from send_searches
        where ctid = any (array(
          select entry.ctid
          from range
          cross join generate_series(range.bucket << 10, (range.bucket << 10) + 1023) as fine
          cross join lateral ${indexLookup(`
            select s.ctid
            from send_searches s
            where s.key >= (fine << 36) + range.first_hash
              and s.key < (fine << 36) + range.end_hash`)} as entry
        ))
        returning ((key >> 46) << 36) | (key & (${allHashes} - 1)) as key, send_id
      ), merged as (
        insert into send_searches (key, send_id)
        select key, send_id
        from moved
        order by key, send_id
      ), progress as (
        update search_progress
        set merging_bucket = merging_bucket + range.end_hash / ${allHashes}, merging_hash = range.end_hash % ${allHashes}
        from range
      )
      select (select count(*) from moved) as moved
      from range`,
    values: [width, at],
    isPlannedEachTime: true,
  });
  return row?.moved;
}
