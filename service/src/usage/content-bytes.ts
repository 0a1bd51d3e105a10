import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { usageKinds } from "./usage-kinds.ts";

interface Hours {
  /** Whole hours in UTC, in ISO 8601; `to` is not included. */
  from: string;
  to: string;
}

/** The bytes of content that each account stored in these hours, in the order given. Serves all accounts. */
export async function readContentBytes(
  db: Queryable,
  accounts: { accountId: string; mode: Mode }[],
  { from, to }: Hours,
): Promise<number[]> {
  const rows = await db.query<{ bytes: number }>({
    name: "read-content-bytes",
    text: `
      with recent as materialized (
        select d.account_id, case when d.is_test then 'test' else 'live' end as mode, sum(d.content_bytes) as bytes
        from usage_deltas d
        where d.kind = ${usageKinds.accepted}
          and d.hour >= hour_number($3::timestamptz)
          and d.hour < hour_number($4::timestamptz)
          and d.account_id = any ($1::uuid[])
        group by 1, 2
      )
      select (coalesce(folded.bytes, 0) + coalesce(recent.bytes, 0))::bigint as bytes
      from unnest($1::uuid[], $2::text[]) with ordinality as given (account_id, mode, position)
      left join lateral ${indexLookup(`
        select sum(h.content_bytes) as bytes
        from usage_hours h
        where h.account_id = given.account_id
          and h.mode = given.mode
          and h.hour >= $3::timestamptz
          and h.hour < $4::timestamptz`)} folded on true
      left join recent on recent.account_id = given.account_id and recent.mode = given.mode
      order by given.position`,
    values: [
      uuidArray(accounts.map(({ accountId }) => accountId)),
      textArray(accounts.map(({ mode }) => mode)),
      from,
      to,
    ],
  });
  return rows.map(({ bytes }) => bytes);
}
