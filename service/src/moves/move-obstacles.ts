import type { Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";

/**
 * A move and an erasure of an address exclude each other: what the copy takes along after the erasure has passed it would keep the address.
 * Both lock this before they look for the other one (data-rights/erasure-store.ts).
 */
export async function lockErasures(tx: Transaction): Promise<void> {
  await tx.query({
    name: "lock-erasures-of-moves",
    text: "select pg_advisory_xact_lock(hashtextextended('moves and erasures', 0))",
  });
}

interface Obstacles {
  isErasing: boolean;
  isDeleting: boolean;
  isReplaying: boolean;
}

/** What must end before the account can move. The texts say how. */
export async function listObstacles(tx: Transaction, accountId: string): Promise<string[]> {
  const [found] = await tx.query<Obstacles>({
    name: "find-obstacles-of-move",
    text: `
      select exists (
          select from erasures e where e.finished_at is null and coalesce(e.account_id, $1) = $1
        ) as "isErasing",
        exists (
          select from account_deletions d where d.account_id = $1 and d.finished_at is null
        ) as "isDeleting",
        exists (
          select
          from webhook_replays r
          where r.state = 'running'
            and r.endpoint_id in (select e.id from webhook_endpoints e where e.account_id = $1)
        ) as "isReplaying"`,
    values: [accountId],
  });
  if (found === undefined) throw new Error("the obstacles of a move were not read");
  return [
    ...(found.isDeleting
      ? ["The account is marked for deletion. Undo that: postern admin delete-account --undo."]
      : []),
    ...(found.isErasing
      ? ["An address is being erased from the record. Let `postern admin erase-address` finish, or run it again."]
      : []),
    ...(found.isReplaying ? ["A replay of webhooks of the account is running. Wait until it ends, or cancel it."] : []),
  ];
}

export async function requireNoObstacles(tx: Transaction, accountId: string): Promise<void> {
  const obstacles = await listObstacles(tx, accountId);
  if (obstacles.length > 0) throw new AppError("CONFLICT", obstacles.join(" "));
}
