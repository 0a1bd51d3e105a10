import { failedRecipients, kindOfDelivery, sendingDomain, usageKinds } from "./usage-kinds.ts";

/** SQL: what `countFailed` needs of each row that an update of `sends` returns. */
export const failedColumns = `sends.account_id, sends.mode, hour_number(sends.queued_at) as hour,
        ${sendingDomain("sends")} as domain, ${failedRecipients("sends")} as recipients, sends.tags`;

/**
 * SQL: an insert that counts the recipients of the sends in `moved` as failed, or no longer as failed. It counts them in the hour of
 * acceptance, so that a rebuild needs only the status of the send.
 */
export function countFailed(moved: string, sign: "+" | "-"): string {
  return `
        insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, tags)
        select account_id, hour, ${sign}sum(recipients), ${usageKinds.failed}, mode = 'test', domain, tags
        from ${moved}
        group by account_id, mode, hour, domain, tags`;
}

/** SQL: the kind of an event with these columns. */
export const kindOfEvent = `case event_type
            when 'Delivery' then ${kindOfDelivery("duration_ms")}
            when 'Bounce' then case when bounce_type = 'Permanent' then ${usageKinds.bouncedHard} else ${usageKinds.bouncedSoft} end
            when 'Complaint' then ${usageKinds.complained}
            else ${usageKinds.suppressed} end::smallint`;

/** SQL: whether the guard counts the event. Mail to the simulator of SES shows nothing about the recipients of an account. */
export const isGuardedEvent = `mode = 'live' and recipient not like '%@simulator.amazonses.com' and bounce_type is distinct from 'Transient'`;
