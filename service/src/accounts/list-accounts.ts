import type { Queryable } from "../db/database.ts";
import { shownEmail } from "./user-store.ts";

export interface ListedAccount {
  id: string;
  name: string;
  /** The email of the first owner; null when the account has no user. */
  email: string | null;
  isSuspended: boolean;
  isOnHold: boolean;
  /** In any mode. */
  isOnTrial: boolean;
  createdAt: string;
}

/** All accounts, for the operator, in the order of their ids, which begin with the time of creation. */
export async function listAccounts(
  db: Queryable,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ListedAccount[]> {
  return db.query<ListedAccount>({
    name: "list-accounts",
    text: `
      select a.id, a.name, a.created_at as "createdAt",
        a.suspended_at is not null as "isSuspended", a.held_at is not null or a.guard_held_at is not null as "isOnHold",
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
      from accounts a
      where a.id > $1::uuid
      order by a.id
      limit $2`,
    values: [after ?? "00000000-0000-0000-0000-000000000000", limit],
  });
}
