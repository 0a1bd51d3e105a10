import type { Database, Transaction } from "../db/database.ts";
import { runSearchSteps } from "./search-steps.ts";

const batchSize = 2_000;

/**
 * Serves all accounts: adds the search entries of sends from before the migration 0029_search, newest first, in steps of one statement
 * and until `maxMs` are over. A trigger writes the entries of all later sends. Returns the number of sends that it indexed.
 */
export function indexOldSends(db: Database, maxMs: number): Promise<number> {
  return runSearchSteps(db, maxMs, indexBatch);
}

/** Undefined when the entries of all sends exist. */
async function indexBatch(tx: Transaction): Promise<number | undefined> {
  const [row] = await tx.query<{ taken: number }>({
    name: "index-old-sends",
    text: `
      with progress as materialized (
        select indexed_from
        from search_progress
        where indexed_from > '00000000-0000-0000-0000-000000000000'
      ), batch as materialized (
        select s.id, s.account_id, s.provider_message_id, coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]) as recipients
        from sends s
        where s.id < (select indexed_from from progress)
        order by s.id desc
        limit $1
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
    values: [batchSize],
    isPlannedEachTime: true,
  });
  return row?.taken || undefined;
}
