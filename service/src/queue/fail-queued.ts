import { equalByIndex } from "../db/stable-plan.ts";
import { countFailed, failedColumns } from "../usage/count-deltas.ts";
import { joinWatched, notifiedColumns, notify, numberNotification, watchedAccounts } from "../webhooks/notify-sends.ts";
import { uncountColumns, uncountQueued } from "./queued-recipients.ts";

/** SQL: the states of a send that no worker has. A leased or in-doubt send may already be with the provider. */
export const cancellableStates = "'ready', 'waiting', 'parked'";

/**
 * SQL: the server is the one from which workers claim the mail of this mode. After a failover a worker may have submitted what this server
 * calls ready, until the sweep has marked it as in doubt (in-doubt/failover-store.ts).
 */
export function isKnownServer(mode: string): string {
  return `(select is_known_server(${mode}))`;
}

/** SQL: as `isKnownServer`, for a row of the queue or a scheduled send. A failover does not concern test mail. */
export const isOfKnownServer = (row: string) => `(${row}.mode = 'test' or ${isKnownServer("'live'")})`;

/** SQL: the outcome of an attempt of this send is unknown. */
export function hasUnknownAttempt(id: string): string {
  return `exists (select from send_attempts a where a.send_id = ${id} and a.outcome = 'unknown')`;
}

/** Every statement with `failFound` has this option. */
export const failsSends = { changesSends: true } as const;

/**
 * SQL: the steps that end queued sends as failed. The step `found` before them has the rows of the queue and the scheduled sends that the
 * statement has locked: `id`, `error_code` and `error_message`. They leave the queue, scheduled ones with their content, and their account hears of it, in its quota, its usage and its webhooks.
 * The step `failed` has the sends that moved.
 */
export const failFound = `left_queue as (
        delete from send_queue q
        using found
        where ${equalByIndex("q.id", "found.id")}
        returning q.id, found.error_code, found.error_message, ${uncountColumns}
      ), left_schedule as (
        delete from scheduled_sends q
        using found
        where ${equalByIndex("q.id", "found.id")}
        returning q.id, found.error_code, found.error_message, ${uncountColumns}
      ), released as materialized (
        select * from left_queue
        union all
        select * from left_schedule
      ), uncounted as (${uncountQueued("released")}
      ), ${watchedAccounts("send.failed", "released", { account: "queue_account_id", mode: "queue_mode" })}, failed as (
        update sends
        set status = 'failed', error_code = released.error_code, error_message = released.error_message, ${numberNotification}
        from released
        ${joinWatched("released.queue_account_id", "released.queue_mode")}
        where ${equalByIndex("sends.id", "released.id")}
          and sends.status = 'queued'
        returning sends.id, ${notifiedColumns}, ${failedColumns}
      ), notified as (${notify("send.failed", "failed")}
      ), usage as (${countFailed("failed", "+")}
      )`;
