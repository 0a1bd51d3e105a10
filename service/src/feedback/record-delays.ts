import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { requireAccountsHere } from "../db/require-accounts-here.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { erasedAddress } from "../erased-address.ts";
import { sendingDomain, usageKinds } from "../usage/usage-kinds.ts";

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

/** Stores delays for the timeline and counts them, those of an erased address as `recordReports` does. They change neither the outcome nor the status, and a repeated one changes nothing. */
export async function recordDelays(db: Queryable, delays: RecipientDelay[]): Promise<void> {
  if (delays.length === 0) return;
  await db.query({
    name: "record-delays",
    text: `
      with delay as materialized (
        select delay.id, delay.send_id, s.account_id, s.mode, delay.at::timestamptz as delayed_at,
          case when s.is_erased and delay.recipient <> all (s.keys) then '${erasedAddress}' else delay.recipient end as recipient,
          coalesce(delay.delay_type, 'Undetermined') as delay_type, delay.expires_at::timestamptz as expires_at, delay.reply_status,
          case when not s.is_erased then delay.reply end as reply, s.domain, s.tags
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
          as delay (id, send_id, at, recipient, delay_type, expires_at, reply_status, reply)
        cross join lateral ${indexLookup(`
          select s.account_id, s.mode, ${sendingDomain("s")} as domain, s.tags, s.erased_at is not null as is_erased,
            coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]) as keys
          from sends s
          where s.id = delay.send_id`)} as s
      ), new_delays as (
        insert into delivery_delays (id, send_id, account_id, mode, delayed_at, recipient, delay_type, expires_at, reply_status,
          reply)
        select id, send_id, account_id, mode, delayed_at, recipient, delay_type, expires_at, reply_status, reply
        from delay
        where ${requireAccountsHere("delay")}
        order by id
        on conflict (id) do nothing
        returning id
      )
      insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, tags)
      select account_id, hour, count(*), ${usageKinds.delayed}, mode = 'test', domain, tags
      from (
        select distinct on (id) account_id, mode, hour_number(delayed_at) as hour, domain, tags
        from delay
        where id in (select id from new_delays)
        order by id
      ) as counted
      group by account_id, mode, hour, domain, tags`,
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
    // Their trigger numbers the notifications of the sends.
    changesSends: true,
  });
}
