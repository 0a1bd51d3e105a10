import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";

/** The provider could not deliver to this recipient yet and tries again. */
export interface RecipientDelay {
  id: string;
  sendId: string;
  /** In milliseconds, and the time in `id`. */
  at: string;
  /** In lower case. */
  recipient: string;
  delayType: string | undefined;
  expiresAt: string | undefined;
  replyStatus: string | undefined;
  reply: string | undefined;
}

/** Stores delays for the timeline. They change neither the outcome nor the status, and a repeated one changes nothing. */
export async function recordDelays(db: Queryable, delays: RecipientDelay[]): Promise<void> {
  if (delays.length === 0) return;
  await db.query({
    name: "record-delays",
    text: `
      insert into delivery_delays (id, send_id, account_id, mode, delayed_at, recipient, delay_type, expires_at, reply_status,
        reply)
      select delay.id, delay.send_id, s.account_id, s.mode, delay.at::timestamptz, delay.recipient,
        coalesce(delay.delay_type, 'Undetermined'), delay.expires_at::timestamptz, delay.reply_status, delay.reply
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
        as delay (id, send_id, at, recipient, delay_type, expires_at, reply_status, reply)
      cross join lateral ${indexLookup(`
        select s.account_id, s.mode
        from sends s
        where s.id = delay.send_id`)} as s
      order by delay.id
      on conflict (id) do nothing`,
    values: [
      uuidArray(delays.map((delay) => delay.id)),
      uuidArray(delays.map((delay) => delay.sendId)),
      textArray(delays.map((delay) => delay.at)),
      textArray(delays.map((delay) => delay.recipient)),
      textArray(delays.map((delay) => delay.delayType ?? null)),
      textArray(delays.map((delay) => delay.expiresAt ?? null)),
      textArray(delays.map((delay) => delay.replyStatus ?? null)),
      textArray(delays.map((delay) => delay.reply ?? null)),
    ],
  });
}
