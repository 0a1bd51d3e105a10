import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";

/**
 * Throws while a copy of this account, or of any, is on its way: what is erased in one cell would stay in the other, or in the rows that are
 * kept aside. After the move both cells can erase what they have.
 */
export async function requireNoMove(db: Queryable, accountId: string | undefined): Promise<void> {
  const [moving] = await db.query<{ accountId: string }>({
    name: "find-unfinished-move",
    text: `
      select account_id as "accountId"
      from (
        select account_id
        from outgoing_moves
        where state <> 'released'
        union all
        select account_id
        from incoming_moves
        where state = 'copying'
      ) as unfinished
      where $1::uuid is null or account_id = $1
      limit 1`,
    values: [accountId ?? null],
  });
  if (moving === undefined) return;
  throw new AppError(
    "CONFLICT",
    `Account ${moving.accountId} is being moved between cells, and an address could stay in one of them. ` +
      "End the move or undo it (`postern admin move-account`), then run this command in both cells.",
  );
}
