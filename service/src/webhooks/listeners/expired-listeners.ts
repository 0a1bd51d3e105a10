import type { Database, Queryable } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { bothModes } from "../../mode.ts";
import { deleteEndpoint } from "../delete-endpoint.ts";

interface ExpiredListener {
  id: string;
  accountId: string;
}

/** Deletes listeners that nobody takes from any more, like a request of their account would. Serves all accounts. Returns how many. */
export async function deleteExpiredListeners(db: Database, limit: number): Promise<number> {
  const expired = await listExpired(db, limit);
  // No take extends an expired listener, so each of them still is.
  for (const { id, accountId } of expired) {
    await deleteEndpoint(db.forAccount(accountId), bothModes, id).catch(ignoreDeleted);
  }
  return expired.length;
}

function listExpired(db: Queryable, limit: number): Promise<ExpiredListener[]> {
  return db.query<ExpiredListener>({
    name: "list-expired-listeners",
    text: `
      select id, account_id as "accountId"
      from webhook_endpoints
      where listens_until < now()
        and account_id not in (select account_id from moving_accounts)
      order by listens_until
      limit $1`,
    values: [limit],
  });
}

/** A request of the account deleted it meanwhile. */
function ignoreDeleted(error: unknown): void {
  if (!(error instanceof AppError && error.code === "NOT_FOUND")) throw error;
}
