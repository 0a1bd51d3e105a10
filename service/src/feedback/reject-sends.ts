import type { Queryable } from "../db/database.ts";

interface Rejection {
  sendId: string;
  providerMessageId: string;
  reason: string;
}

/**
 * sent → failed: the provider took the mail and then refused to send it, for a virus mostly. The message id stays, and by
 * it later reports of the same attempt are known to say nothing new. One that was delivered under another id is not failed.
 */
export async function rejectSends(db: Queryable, rejections: Rejection[]): Promise<void> {
  if (rejections.length === 0) return;
  await db.query({
    name: "reject-sends",
    text: `
      with told as materialized (
        select distinct on (id) id, message_id, reason
        from unnest($1::uuid[], $2::text[], $3::text[]) as told (id, message_id, reason)
        order by id
      ), moving as materialized (
        select told.id, told.reason
        from told
        cross join lateral (
          select
          from sends s
          where s.id = told.id
            and s.status = 'sent'
            and s.provider_message_id = told.message_id
          for update
        ) as locked
      )
      update sends
      set status = 'failed', error_code = 'PROVIDER_REJECTED', error_message = 'The provider refused this send: ' || moving.reason
      from moving
      where sends.id between moving.id and moving.id`,
    values: [
      rejections.map(({ sendId }) => sendId),
      rejections.map(({ providerMessageId }) => providerMessageId),
      rejections.map(({ reason }) => reason.replaceAll("\0", "\u{fffd}").slice(0, 1000)),
    ],
    changesSends: true,
  });
}
