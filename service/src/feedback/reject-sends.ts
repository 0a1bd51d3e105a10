import type { Queryable } from "../db/database.ts";
import { requireAccountsHere } from "../db/require-accounts-here.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import { storableText } from "../db/storable-text.ts";
import { countFailed, failedColumns } from "../usage/count-deltas.ts";
import { joinWatched, notifiedColumns, notify, numberNotification, watchedAccounts } from "../webhooks/notify-sends.ts";

interface Rejection {
  sendId: string;
  providerMessageId: string;
  reason: string;
}

/**
 * sent → failed: the provider accepted the mail and then refused to send it, usually because of a virus. The message id stays, so that
 * later reports about the same attempt change nothing. A send that went out under another message id does not fail.
 */
export async function rejectSends(db: Queryable, rejections: Rejection[]): Promise<void> {
  if (rejections.length === 0) return;
  await db.query({
    name: "reject-sends",
    text: `
      with rejection as materialized (
        select distinct on (id) id, message_id, reason
        from unnest($1::uuid[], $2::text[], $3::text[]) as rejection (id, message_id, reason)
        order by id
      ), moving as materialized (
        select rejection.id, rejection.reason, locked.account_id, locked.mode
        from rejection
        cross join lateral (
          select s.account_id, s.mode
          from sends s
          where s.id = rejection.id
            and s.status = 'sent'
            and s.provider_message_id = rejection.message_id
          for update
        ) as locked
      ), ${watchedAccounts("send.failed", "moving")}, rejected as (
        update sends
        set status = 'failed', error_code = 'PROVIDER_REJECTED', error_message = 'The provider refused this send: ' || moving.reason,
            ${numberNotification}
        from moving
        ${joinWatched("moving.account_id", "moving.mode")}
        where ${equalByIndex("sends.id", "moving.id")}
          and ${requireAccountsHere("moving")}
        returning ${notifiedColumns}, ${failedColumns}
      ), notified as (${notify("send.failed", "rejected")}
      )${countFailed("rejected", "+")}`,
    values: [
      rejections.map(({ sendId }) => sendId),
      rejections.map(({ providerMessageId }) => providerMessageId),
      rejections.map(({ reason }) => storableText(reason)),
    ],
    changesSends: true,
  });
}
