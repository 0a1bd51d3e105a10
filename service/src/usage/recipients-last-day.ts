import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { RecipientsToday } from "./recipients-today.ts";

/** SQL: the first of the hours that "24 hours" means here. The present hour is not over, so they are 23 to 24. */
export const lastDayStart = "date_trunc('hour', now()) - interval '23 hours'";

/** The recipients accepted in 24 hours, of each account and mode that accepted any, a few seconds old. Serves all accounts. */
export function recipientsLastDay(db: Queryable, accountIds: readonly string[]): Promise<RecipientsToday[]> {
  return db.query<RecipientsToday>({
    name: "recipients-last-day",
    text: `
      select account.id as "accountId", of.mode, folded.recipients
      from unnest($1::uuid[]) as account (id)
      cross join unnest(array['live', 'test']) as of (mode)
      cross join lateral ${indexLookup(`
        select sum(h.accepted_recipients)::bigint as recipients
        from usage_hours h
        where h.account_id = account.id
          and h.mode = of.mode
          and h.hour >= ${lastDayStart}`)} as folded
      where folded.recipients > 0`,
    values: [accountIds],
  });
}
