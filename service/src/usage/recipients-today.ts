import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { usageKinds } from "./usage-kinds.ts";

export interface RecipientsToday {
  accountId: string;
  mode: Mode;
  recipients: number;
}

/**
 * The recipients accepted since 00:00 UTC, of each account and mode that accepted any. Serves all accounts. It reads at most 24 hours of
 * each account, and the deltas that are not folded yet.
 */
export function recipientsToday(db: Queryable, accountIds: readonly string[]): Promise<RecipientsToday[]> {
  return db.query<RecipientsToday>({
    name: "recipients-today",
    text: `
      with today as materialized (
        select date_trunc('day', now(), 'UTC') as start
      ), counted as materialized (
        select account.id, folded.mode, folded.accepted_recipients as recipients
        from unnest($1::uuid[]) as account (id)
        cross join unnest(array['live', 'test']) as of (mode)
        cross join lateral ${indexLookup(`
          select h.mode, h.accepted_recipients
          from usage_hours h
          where h.account_id = account.id
            and h.mode = of.mode
            and h.hour >= (select start from today)`)} as folded
        union all
        select d.account_id, case when d.is_test then 'test' else 'live' end, d.amount
        from usage_deltas d
        where d.kind = ${usageKinds.accepted}
          and d.hour >= (select hour_number(start) from today)
          and d.account_id = any ($1)
      )
      select id as "accountId", mode, sum(recipients)::bigint as recipients
      from counted
      group by id, mode`,
    values: [accountIds],
  });
}
