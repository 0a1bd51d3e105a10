import { integerArray, smallintArray, textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import type { LoggedRequest } from "./logged-request.ts";

/** Of one account and hour: the refused requests with one error code, and the sample of accepted ones. */
export const maxEntriesPerCode = 500;
const maxAcceptedEntries = 100;

export interface StoredEntry extends LoggedRequest {
  id: string;
  /** Hours since 1970. */
  hour: number;
  /** The error code, or `accepted`. */
  code: string;
}

interface FilledHour {
  accountId: string;
  hour: number;
  code: string;
  /** Entries of this set that were not stored. */
  leftOut: number;
}

/**
 * Stores the entries that their hour has room for, and returns the hours that are full now. One process stores at a time, so the counts are
 * exact over all processes. PostgreSQL does not wait for the disk: after a crash of it, the last second of the log may be missing.
 */
export async function storeRequests(db: Queryable, entries: StoredEntry[]): Promise<FilledHour[]> {
  return db.query<FilledHour>({
    name: "store-requests",
    oneAtATime: "request log",
    mayBeUndone: true,
    text: `
      with given as materialized (
        select *, row_number() over (partition by account_id, hour, code order by id) as position
        from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::smallint[], $9::text[],
          $10::text[], $11::uuid[], $12::uuid[], $13::text[], $14::text[])
          as given (id, account_id, hour, code, mode, method, route, status, error_code, problems, api_key_id, user_id, address, request_id)
      ), arrived as (
        select account_id, hour, code, count(*)::integer as entries, case code when 'accepted' then $15::integer else $16::integer end as room
        from given
        group by account_id, hour, code
      ), counted as (
        insert into logged_request_hours as known (account_id, hour, code, entries)
        select account_id, hour_at(hour), code, least(entries, room)
        from arrived
        order by account_id, hour, code
        on conflict (account_id, hour, code) do update
        set entries = least(known.entries + excluded.entries, case excluded.code when 'accepted' then $15::integer else $16::integer end)
        returning account_id, hour, code, entries
      ), decided as materialized (
        select arrived.account_id, arrived.hour, arrived.code, arrived.entries as arrived, arrived.room, counted.entries as total,
          coalesce((
            select known.entries
            from logged_request_hours known
            where known.account_id = arrived.account_id
              and known.hour = hour_at(arrived.hour)
              and known.code = arrived.code
          ), 0) as before
        from arrived
        join counted on counted.account_id = arrived.account_id
          and counted.hour = hour_at(arrived.hour)
          and counted.code = arrived.code
      ), stored as (
        insert into logged_requests
          (id, account_id, mode, method, route, status, error_code, problems, api_key_id, user_id, address, request_id)
        select g.id, g.account_id, g.mode, g.method, g.route, g.status, g.error_code, g.problems::jsonb, g.api_key_id, g.user_id, g.address,
          g.request_id
        from given g
        join decided d on d.account_id = g.account_id
          and d.hour = g.hour
          and d.code = g.code
        where g.position <= d.room - d.before
        order by g.account_id, g.id
      )
      select account_id as "accountId", hour, code, greatest(before + arrived - room, 0) as "leftOut"
      from decided
      where total >= room`,
    values: [
      uuidArray(entries.map(({ id }) => id)),
      uuidArray(entries.map(({ caller }) => caller.accountId)),
      integerArray(entries.map(({ hour }) => hour)),
      textArray(entries.map(({ code }) => code)),
      textArray(entries.map(({ caller }) => caller.mode)),
      textArray(entries.map(({ method }) => method)),
      textArray(entries.map(({ route }) => route)),
      smallintArray(entries.map(({ status }) => status)),
      textArray(entries.map(({ errorCode }) => errorCode ?? null)),
      textArray(entries.map(({ problems }) => (problems.length === 0 ? null : JSON.stringify(problems)))),
      uuidArray(entries.map(({ caller }) => caller.apiKeyId ?? null)),
      uuidArray(entries.map(({ caller }) => caller.userId ?? null)),
      textArray(entries.map(({ address }) => address)),
      textArray(entries.map(({ requestId }) => requestId)),
      maxAcceptedEntries,
      maxEntriesPerCode,
    ],
  });
}
