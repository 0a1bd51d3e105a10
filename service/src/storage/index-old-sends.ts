import type { Database, Transaction } from "../db/database.ts";
import { double, runSearchSteps, type StepSize } from "./search-steps.ts";

/** The size of a step is its number of entries, because sends differ in their number of recipients. A step takes one send at least. */
const maxEntries = 5_000;
const maxSends = 2_000;
/** A step that is faster than this may be twice as large. */
const fastMs = 1_000;

export function newIndexSize(): StepSize {
  return { value: maxEntries, smallest: 1, largest: maxEntries };
}

/**
 * Serves all accounts: adds the search entries of sends from before the migration 0029_search, newest first, in steps of one statement
 * and until `maxMs` are over. A trigger writes the entries of all later sends. Returns the number of sends that it indexed.
 */
export function indexOldSends(db: Database, maxMs: number, size = newIndexSize()): Promise<number> {
  return runSearchSteps(db, maxMs, size, async (tx) => {
    const startedAt = performance.now();
    const sends = await indexBatch(tx, size.value);
    if (performance.now() - startedAt < fastMs) double(size);
    return sends;
  });
}

/** Undefined when the entries of all sends exist. */
async function indexBatch(tx: Transaction, entries: number): Promise<number | undefined> {
  const [row] = await tx.query<{ taken: number }>({
    name: "index-old-sends",
    text: `
      with progress as materialized (
        select indexed_from
        from search_progress
        where indexed_from > '00000000-0000-0000-0000-000000000000'
      ), next_sends as materialized (
        select s.id, s.account_id, s.provider_message_id, coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]) as recipients
        from sends s
        where s.id < (select indexed_from from progress)
        order by s.id desc
        limit ${maxSends}
      ), batch as materialized (
        select *
        from (
          -- A send has an entry for each recipient and may have one for its provider message id.
          select *, sum(cardinality(recipients) + 1) over (order by id desc rows between unbounded preceding and 1 preceding) as entries_before
          from next_sends
        ) as counted
        where coalesce(entries_before, 0) < $1
      ), searched as materialized (
        select batch.id, search_hash(batch.account_id, value) as hash
        from batch
        cross join lateral (
          select unnest(batch.recipients) as value
          union all
          select batch.provider_message_id
          where needs_search_entry(batch.id, batch.provider_message_id)
        ) as values
      ), entries as (
        insert into send_searches (key, send_id)
        select distinct search_key(searched.id, searched.hash, (select first_fine_id())) as key, searched.id
        from searched
        -- Not with "not exists", which may become a join that reads all entries.
        where not coalesce((
            select true
            from send_searches known
            where known.key = (fine_bucket(searched.id) << 36) | searched.hash
              and known.send_id = searched.id
            limit 1
          ), false)
          and not coalesce((
            select true
            from send_searches known
            where known.key = ((fine_bucket(searched.id) >> 10) << 36) | searched.hash
              and known.send_id = searched.id
            limit 1
          ), false)
        order by key
      ), moved as (
        update search_progress
        set indexed_from = coalesce((select id from batch order by id limit 1), '00000000-0000-0000-0000-000000000000')
        where exists (select from progress)
      )
      select count(*) as taken
      from batch`,
    values: [entries],
    isPlannedEachTime: true,
  });
  return row?.taken || undefined;
}
