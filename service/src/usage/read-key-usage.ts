import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { startOf, type UsageQuery } from "./read-usage.ts";
import { usageKinds } from "./usage-kinds.ts";

export interface KeyUsage {
  start: string;
  apiKeyId: string;
  mode: Mode;
  sends: number;
  recipients: number;
  /** How many requests to send were refused, by error code. */
  refusals: Record<string, number>;
}

/** The usage of each API key of the account, oldest first, in one snapshot. */
export function readKeyUsage(db: AccountDatabase, query: Omit<UsageQuery, "isByDomain">): Promise<KeyUsage[]> {
  const { modes, from, to, by, maxEntries } = query;
  return db.query<KeyUsage>({
    name: "read-key-usage",
    text: `
      with counted as materialized (
        select hour, api_key_id, sends, recipients, null as code, 0 as refused
        from usage_key_hours
        where account_id = $1
          and hour >= $3::timestamptz
          and hour < $4::timestamptz
        union all
        select hour_at(hour), api_key_id, sends, amount, null, 0
        from usage_deltas
        where account_id = $1
          and kind = ${usageKinds.accepted}
          and api_key_id is not null
          and hour >= hour_number($3::timestamptz)
          and hour < hour_number($4::timestamptz)
        union all
        select hour, api_key_id, 0, 0, code, count
        from usage_refusals
        where account_id = $1
          and hour >= $3::timestamptz
          and hour < $4::timestamptz
      ), by_code as (
        select ${startOf("hour")} as start, api_key_id, code, sum(sends) as sends, sum(recipients) as recipients,
          sum(refused) as refused
        from counted
        group by 1, 2, 3
      )
      select start, api_key_id as "apiKeyId", key.mode, sum(sends)::bigint as sends, sum(recipients)::bigint as recipients,
        coalesce(jsonb_object_agg(code, refused) filter (where code is not null), '{}') as refusals
      from by_code
      cross join lateral (
        select k.type as mode
        from api_keys k
        where k.id = by_code.api_key_id and k.account_id = $1
        offset 0
      ) as key
      where key.mode = any ($2)
      group by start, api_key_id, key.mode
      order by start, api_key_id
      limit $6`,
    values: [db.accountId, modes, from, to, by, maxEntries],
    isPlannedEachTime: true,
  });
}
