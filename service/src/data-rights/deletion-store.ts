import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";

export interface AccountDeletion {
  requestedAt: string;
  purgeStartedAt: string | null;
  finishedAt: string | null;
  /** From then on the account can be purged. */
  purgeAt: string;
  isDue: boolean;
  rows: Record<string, number>;
}

/** Reports of SES are under way for a day or more, and somebody may notice that it was the wrong account. */
const waitingDays = 2;

const accountTarget = { kind: "account" as const, id: "$1::uuid", name: "(select name from accounts where id = $1)" };

/** From its commit on, keys and tokens of the account are refused. Returns false when it was requested before, or there is no account. */
export async function requestDeletion(db: Queryable, accountId: string, actor: Actor): Promise<boolean> {
  const rows = await db.query({
    name: "request-account-deletion",
    text: `
      with requested as (
        insert into account_deletions (account_id, requested_by)
        select id, $2::jsonb ->> 'name'
        from accounts
        where id = $1
        on conflict (account_id) do nothing
        returning account_id
      ), suspended as (
        update accounts
        set suspended_at = now()
        from requested
        where accounts.id = requested.account_id
          and accounts.suspended_at is null
      ), ${auditEntry({ action: "account.delete", actor: "$2", target: accountTarget, from: "requested" })}
      select account_id
      from requested`,
    values: [accountId, JSON.stringify(actor)],
  });
  return rows.length > 0;
}

/** Returns false when the purge has begun, or no deletion was requested. An account that was suspended before stays suspended. */
export async function undoDeletion(db: Queryable, accountId: string, actor: Actor): Promise<boolean> {
  const rows = await db.query({
    name: "undo-account-deletion",
    text: `
      with undone as (
        delete from account_deletions
        where account_id = $1
          and purge_started_at is null
        returning account_id, requested_at
      ), resumed as (
        update accounts
        set suspended_at = null
        from undone
        where accounts.id = undone.account_id
          and accounts.suspended_at = undone.requested_at
      ), ${auditEntry({ action: "account.delete-undo", actor: "$2", target: accountTarget, from: "undone" })}
      select account_id
      from undone`,
    values: [accountId, JSON.stringify(actor)],
  });
  return rows.length > 0;
}

export async function findDeletion(db: Queryable, accountId: string): Promise<AccountDeletion | undefined> {
  const [row] = await db.query<AccountDeletion>({
    name: "find-account-deletion",
    text: `
      select requested_at as "requestedAt", purge_started_at as "purgeStartedAt", finished_at as "finishedAt",
        requested_at + interval '${waitingDays} days' as "purgeAt", requested_at <= now() - interval '${waitingDays} days' as "isDue", rows
      from account_deletions
      where account_id = $1`,
    values: [accountId],
  });
  return row;
}

/** SES reports about the mail of an account for this long after it moved to another cell, which needs the reports (moves/relay-feedback.ts). */
const reportDays = 40;

/** Returns false when the time has not come, the deletion was undone, or the account is moving, or moved away less than 40 days ago. */
export async function startPurge(db: Queryable, accountId: string): Promise<boolean> {
  const rows = await db.query({
    name: "start-account-purge",
    text: `
      update account_deletions
      set purge_started_at = coalesce(purge_started_at, now())
      where account_id = $1
        and requested_at <= now() - interval '${waitingDays} days'
        and not exists (
          select from outgoing_moves m
          where m.account_id = $1 and (m.state <> 'released' or m.released_at > now() - interval '${reportDays} days')
        )
        and not exists (select from incoming_moves m where m.account_id = $1 and m.state <> 'released')
      returning account_id`,
    values: [accountId],
  });
  return rows.length > 0;
}

/** SQL: the step that adds the rows of `gone` to the counts of the deletion of account `$1`. */
export function countPurged(table: string): string {
  return `counted as (
        update account_deletions d
        set rows = d.rows || jsonb_build_object('${table}', coalesce((d.rows ->> '${table}')::bigint, 0) + (select count(*) from gone))
        where d.account_id = $1
          and exists (select from gone)
      )`;
}
