import { holdReason } from "../accounts/account-hold.ts";
import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import type { FirstAnswer } from "./accept-batch.ts";
import { firstStatus } from "./accept-statement.ts";

/** The first answers for these sends, as they were on acceptance; their status may have changed since. */
export async function findAcceptedSends(
  db: Queryable,
  { accountId, mode }: { accountId: string; mode: Mode },
  ids: string[],
): Promise<FirstAnswer[]> {
  return db.query<FirstAnswer>({
    name: "find-accepted-sends",
    text: `
      select s.id as "sendId", s.queued_at as "queuedAt", coalesce(s.suppressed_recipients, '{}') as suppressed,
        ${firstStatus} as status,
        case when s.status = 'queued' then (
          select ${holdReason("a", "s.mode")}
          from accounts a
          where a.id = s.account_id
        ) end as "holdReason"
      from sends s
      where s.account_id = $1
        and s.mode = $2
        and s.id = any ($3)`,
    values: [accountId, mode, ids],
    isPlannedEachTime: true,
  });
}
