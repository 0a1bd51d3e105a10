import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { cancellableStates, failFound, failsSends, hasUnknownAttempt, isKnownServer } from "./fail-queued.ts";
import type { SendErrorCode } from "./settle-sends.ts";

const batchSize = 500;

/** How a send ends that expired before a worker submitted it. */
export const expired = {
  code: "EXPIRED",
  message: "This send expired before it was submitted to the provider.",
} as const satisfies { code: SendErrorCode; message: string };

/** How it ends when the outcome of an earlier attempt is unknown. A later event still corrects it. */
export const expiredInDoubt = {
  code: "PROVIDER_OUTCOME_UNKNOWN",
  message:
    "This send expired, and the provider did not report whether it accepted an earlier attempt. Postern does not send it again.",
} as const satisfies { code: SendErrorCode; message: string };

/**
 * ready, waiting or parked → failed with EXPIRED, or PROVIDER_OUTCOME_UNKNOWN after an attempt of unknown outcome. The worker that has a
 * leased send checks the time itself, and a send in doubt waits for evidence: when it is ready again, it ends here. Skips rows that another
 * statement has locked, and accounts on their way to another cell. Serves all accounts. Returns the number of sends.
 */
export async function expireSends(db: Queryable, mode: Mode): Promise<number> {
  const rows = await db.query({
    name: "expire-sends",
    text: `
      with due as materialized (
        select id
        from send_queue
        where mode = $1
          and expires_at <= now()
          and expires_at is not null
          and state in (${cancellableStates})
          and account_id not in (select account_id from moving_accounts)
          and ${isKnownServer("$1")}
        order by expires_at
        limit $2
        for update skip locked
      ), found as materialized (
        select id, case when is_in_doubt then '${expiredInDoubt.code}' else '${expired.code}' end as error_code,
          case when is_in_doubt then $4::text else $3 end as error_message
        from (
          select due.id, ${hasUnknownAttempt("due.id")} as is_in_doubt
          from due
          order by due.id
        ) as each_one
      ), ${failFound}
      select id
      from failed`,
    values: [mode, batchSize, expired.message, expiredInDoubt.message],
    ...failsSends,
  });
  return rows.length;
}
