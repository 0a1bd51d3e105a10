import { systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup, rowByIndex } from "../db/stable-plan.ts";
import { firstDay, isAbove, keyColumns, minComplaints, minHardBounces, pauseLine } from "./limits.ts";

export interface GuardHold {
  accountId: string;
  reason: string;
}

export interface GuardCheck {
  held: GuardHold[];
  /** Where the next check of this round goes on; undefined when no account is left. */
  lastAccountId: string | undefined;
}

const above = isAbove(pauseLine);

/** SQL: one decimal place and no zeros before it, such as 12.0. */
const percent = (part: string) => `round(100.0 * ${part} / outcomes, 1)::text`;

/** SQL: why these counts hold an account; null when they do not. */
const reasonToHold = `case
        when ${above.bounces} and hard_bounces >= ${minHardBounces} then
          hard_bounces || ' of ' || outcomes || ' recipients (' || ${percent("hard_bounces")} || ' %) bounced permanently, and more than '
            || '${pauseLine.bounceRate * 100} % endangers the delivery of all mail. Remove addresses that do not exist from your data, '
            || 'then ask the operator of this installation to release the account.'
        when ${above.complaints} and complaints >= ${minComplaints} then
          complaints || ' of ' || outcomes || ' recipients (' || round(100.0 * complaints / outcomes, 2)::text
            || ' %) reported the mail as spam, and more than ${pauseLine.complaintRate * 100} % endangers the delivery of all mail. '
            || 'Send only to people who expect your mail, then ask the operator of this installation to release the account.'
        end`;

/**
 * Holds every account with new outcomes whose rates are above the pause line. Serves all accounts, in one statement: a hold and the
 * mark that its counts were checked commit together, so a crash in between repeats the check. It waits for no lock: an account or
 * a count that another transaction has locked is left for the next run.
 *
 * 1. `unchecked`: the first counts after `after` that changed since their last check. Rounds go through all accounts, so that busy
 *    accounts, whose counts change all the time, keep no other account waiting.
 * 2. `found`, `evaluated`: their accounts, except those on their way to another cell, whose counts stay unchecked here, and the sum of the seven days of the current epoch. Counts of an earlier epoch, which a
 *    late fold can write after a release, have no effect.
 * 3. `held`: guarded by the epoch, so that a release that commits first wins.
 * 4. `seen`: the counts as the sums saw them. A count that grew since then stays unchecked.
 */
export async function checkAccounts(
  db: Queryable,
  { after = "00000000-0000-0000-0000-000000000000", maxCounts }: { after?: string; maxCounts: number },
): Promise<GuardCheck> {
  const rows = await db.query<{ accountId: string; reason: string | null; counts: number }>({
    name: "check-accounts",
    text: `
      with unchecked as materialized (
        select account_id, epoch, day, outcomes + complaints as total
        from guard_counts
        where checked <> outcomes + complaints and account_id > $1
        order by account_id
        limit $2
      ), found as materialized (
        select account.id, account.guard_epoch
        from (select distinct account_id from unchecked order by account_id) as changed
        cross join lateral (
          select a.id, a.guard_epoch
          from accounts a
          where a.id = changed.account_id
            and a.id not in (select account_id from moving_accounts)
          for no key update skip locked
        ) as account
      ), evaluated as materialized (
        select id, guard_epoch, ${reasonToHold} as reason
        from (
          select found.id, found.guard_epoch, counted.*
          from found
          cross join lateral ${indexLookup(`
            select coalesce(sum(g.outcomes), 0) as outcomes, coalesce(sum(g.hard_bounces), 0) as hard_bounces,
              coalesce(sum(g.complaints), 0) as complaints
            from guard_counts g
            where g.account_id = found.id and g.epoch = found.guard_epoch and g.day >= ${firstDay}`)} as counted
        ) as summed
      ), held as (
        update accounts a
        set guard_held_at = now(), guard_reason = evaluated.reason
        from evaluated
        where ${equalByIndex("a.id", "evaluated.id")}
          and evaluated.reason is not null
          and a.guard_epoch = evaluated.guard_epoch
          and a.guard_held_at is null
          and not a.guard_off
        returning a.id, a.name, a.guard_reason
      ), ${auditEntry({
        action: "account.guard-hold",
        actor: "$3",
        account: "held.id",
        target: { kind: "account", id: "held.id", name: "held.name" },
        after: { reason: "held.guard_reason" },
        from: "held",
      })}, seen as materialized (
        select unchecked.account_id, unchecked.epoch, unchecked.day, unchecked.total
        from unchecked
        join found on found.id = unchecked.account_id
        cross join lateral (
          select
          from guard_counts g
          where g.account_id = unchecked.account_id and g.epoch = unchecked.epoch and g.day = unchecked.day
          for update skip locked
        ) as unlocked
      ), marked as (
        update guard_counts g
        set checked = seen.total
        from seen
        where ${rowByIndex(keyColumns("g"), keyColumns("seen"))}
      )
      select changed.account_id as "accountId", held.guard_reason as reason, changed.counts
      from (select account_id, count(*) as counts from unchecked group by account_id) as changed
      left join held on held.id = changed.account_id
      order by changed.account_id`,
    values: [after, maxCounts, JSON.stringify(systemActor)],
  });
  const held = rows.flatMap(({ accountId, reason }) => (reason === null ? [] : [{ accountId, reason }]));
  const isLast = rows.reduce((sum, { counts }) => sum + counts, 0) < maxCounts;
  return { held, lastAccountId: isLast ? undefined : rows.at(-1)?.accountId };
}
