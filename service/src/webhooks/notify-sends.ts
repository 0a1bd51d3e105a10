import { indexLookup } from "../db/stable-plan.ts";

/**
 * Fragments of SQL for the statements that move sends to `sent` or `failed`: the commit that moves a send also writes its notification. The
 * events of a send have triggers that do the same (0052_notify_of_events.sql). Here a trigger would fetch every moved row again, also of accounts
 * without endpoints.
 *
 * A statement has, in this order, the step `watched`, an update that joins it and numbers the notification, and the step `notify`.
 */
type MoveType = "send.sent" | "send.failed";

/** SQL: the step with those accounts and modes of `moving` that want to hear of it: one lookup each. */
export function watchedAccounts(
  type: MoveType,
  moving: string,
  columns = { account: "account_id", mode: "mode" },
): string {
  return `watched as materialized (
        select given.account_id, given.mode
        from (select distinct ${columns.account} as account_id, ${columns.mode} as mode from ${moving}) as given
        cross join lateral ${indexLookup(`
          select
          from webhook_endpoints e
          where e.account_id = given.account_id
            and e.mode = given.mode
            and e.disabled_at is null
            and '${type}' = any (e.types)
          limit 1`)} as wants
      )`;
}

/** SQL: for the `from` of the update. */
export function joinWatched(account: string, mode: string): string {
  return `left join watched on watched.account_id = ${account} and watched.mode = ${mode}`;
}

/** SQL: for the `set` of the update, which holds the lock of the row. */
export const numberNotification =
  "notified = case when watched.account_id is null then sends.notified else coalesce(sends.notified, 0) + 1 end";

/** SQL: for the `returning` of the update. */
export const notifiedColumns =
  "watched.account_id as watched_account, watched.mode as watched_mode, sends.id as notified_send, sends.notified, sends.status as notified_status, sends.error_code as failure_code, sends.error_message as failure_message";

/** SQL: the insert of the step that follows the update. */
export function notify(type: MoveType, moved: string): string {
  const facts =
    type === "send.failed" ? "jsonb_build_object('code', failure_code, 'message', failure_message)" : "null::jsonb";
  return `
        insert into notifications (id, public_id, account_id, mode, type, occurred_at, send_id, sequence, send_status, facts)
        select id, id, watched_account, watched_mode, '${type}', now(), notified_send, notified, notified_status, facts
        from ${indexLookup(`
          select new_id_at(now()) as id, watched_account, watched_mode, notified_send, notified, notified_status, ${facts} as facts
          from ${moved}
          where watched_account is not null`)} as notification`;
}
