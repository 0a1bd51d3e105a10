import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { forgottenDays } from "../storage/forgotten-sends.ts";
import { countPurged } from "./deletion-store.ts";

const sendsPerBatch = 1_000;

/** Tables with rows of single sends, by the id of the send. */
const partsOfSends = [
  ["send_contents", "id"],
  ["kept_contents", "id"],
  ["attachment_chunks", "id"],
  ["kept_attachment_chunks", "id"],
  ["send_attempts", "send_id"],
  ["delivery_delays", "send_id"],
  ["events", "send_id"],
] as const;

/** Deletes the next sends of an account with everything that belongs to them. `isForgotten`: remembers the ids that SES may still report. */
export async function purgeSends(db: Queryable, accountId: string, mode: Mode, isForgotten: boolean): Promise<number> {
  const [row] = await db.query<{ rows: number }>({
    name: "purge-sends",
    text: `
      with purged as materialized (
        select s.id, array(
            select search_hash(s.account_id, value)
            from (
              select unnest(coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[])) as value
              union all
              select s.provider_message_id
              where s.provider_message_id is not null
            ) as searched
          ) as hashes
        from sends s
        where s.account_id = $1
          and s.mode = $2
        order by s.id
        limit ${sendsPerBatch}
      ), ${partsOfSends
        .map(
          ([table, column]) => `of_${table} as (
        delete from ${table} t
        using purged
        where ${equalByIndex(`t.${column}`, "purged.id")}
      )`,
        )
        .join(", ")}, searched as materialized (
        select purged.id, bucket << 36 | hash as key
        from purged
        cross join unnest(purged.hashes) as hash
        cross join lateral (values (fine_bucket(purged.id)), (fine_bucket(purged.id) >> 10)) as either (bucket)
      ), searches as (
        delete from send_searches e
        using searched
        where e.key between searched.key and searched.key
          and e.send_id = searched.id
      ), forgotten as (
        insert into forgotten_sends (send_id)
        select id
        from purged
        where $3
          and id > first_id_at(now() - interval '${forgottenDays} days')
        order by id
        on conflict (send_id) do nothing
      ), gone as (
        delete from sends s
        using purged
        where ${equalByIndex("s.id", "purged.id")}
        returning s.id
      ), ${countPurged("sends")}
      select count(*) as rows
      from gone`,
    values: [accountId, mode, isForgotten],
    // As for an update: the row may have been changed by another statement.
    changesSends: true,
  });
  return row?.rows ?? 0;
}
