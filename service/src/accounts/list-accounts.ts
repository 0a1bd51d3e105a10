import type { Queryable } from "../db/database.ts";
import { type AccountLimits, accountLimitColumns } from "./limit-store.ts";
import { shownEmail } from "./user-store.ts";

export interface ListedAccount {
  id: string;
  name: string;
  /** The email of the first owner; null when the account has no user. */
  email: string | null;
  isSuspended: boolean;
  /** Whether it is suspended because it moves to another cell, or has moved there. */
  move: "moving" | "moved" | null;
  isOnHold: boolean;
  /** In any mode. */
  isOnTrial: boolean;
  createdAt: string;
  /** The hold of the operator, not that of the guard. */
  heldAt: string | null;
  holdNote: string | null;
  limits: AccountLimits;
}

type ListedRow = Omit<ListedAccount, "limits"> & AccountLimits;

const listedAccounts = `
      select a.id, a.name, a.created_at as "createdAt",
        a.suspended_at is not null as "isSuspended", a.held_at is not null or a.guard_held_at is not null as "isOnHold",
        a.held_at as "heldAt", a.hold_note as "holdNote", ${accountLimitColumns},
        case
          when a.suspended_at is null or not is_moving_account(a.id) then null
          when exists (select from incoming_moves i where i.account_id = a.id and i.state = 'copying') then 'moving'
          when exists (select from outgoing_moves o where o.account_id = a.id and o.state = 'released') then 'moved'
          else 'moving' end as move,
        exists (
          select
          from account_quotas q
          where q.account_id = a.id
            and q.trial is not null
        ) as "isOnTrial",
        (
          select ${shownEmail("u")}
          from memberships m
          join users u on u.id = m.user_id
          where m.account_id = a.id
          order by m.role = 'owner' desc, m.created_at, m.user_id
          limit 1
        ) as email
      from accounts a`;

/** All accounts, for the operator, in the order of their ids, which begin with the time of creation. */
export async function listAccounts(
  db: Queryable,
  { after, search, limit }: { after: string | undefined; search?: string | undefined; limit: number },
): Promise<ListedAccount[]> {
  const rows = await db.query<ListedRow>({
    name: "list-accounts",
    text: `
      ${listedAccounts}
      where a.id > $1::uuid
        and ($3::text is null or ${isFound("a", "$3")})
      order by a.id
      limit $2`,
    values: [after ?? "00000000-0000-0000-0000-000000000000", limit, search ?? null],
  });
  return rows.map(toListedAccount);
}

/** SQL: the text is the id of the account, or part of its name or of the email of a member. */
export function isFound(account: string, text: string): string {
  return `(${account}.id::text = lower(${text})
          or position(lower(${text}) in lower(${account}.name)) > 0
          or exists (
            select
            from memberships m
            join users u on u.id = m.user_id
            where m.account_id = ${account}.id
              and position(lower(${text}) in u.email) > 0
          ))`;
}

/** These accounts, in the given order, for the operator. */
export async function listAccountsById(db: Queryable, accountIds: readonly string[]): Promise<ListedAccount[]> {
  const rows = await db.query<ListedRow>({
    name: "list-accounts-by-id",
    text: `
      ${listedAccounts}
      where a.id = any ($1::uuid[])
      order by array_position($1::uuid[], a.id)`,
    values: [accountIds],
  });
  return rows.map(toListedAccount);
}

/** Any account, for the operator. */
export async function findListedAccount(db: Queryable, accountId: string): Promise<ListedAccount | undefined> {
  const [row] = await db.query<ListedRow>({
    name: "find-listed-account",
    text: `
      ${listedAccounts}
      where a.id = $1`,
    values: [accountId],
  });
  return row && toListedAccount(row);
}

function toListedAccount(row: ListedRow): ListedAccount {
  const { perSecond, per10Seconds, perMinute, domains, apiKeys, domainChangesPerMinute, ...account } = row;
  const limits = { perSecond, per10Seconds, perMinute, domains, apiKeys, domainChangesPerMinute };
  return { ...account, limits };
}
