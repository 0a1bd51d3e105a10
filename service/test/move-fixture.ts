import type { Database } from "../src/db/database.ts";
import { freeze } from "../src/moves/freeze.ts";
import { type IncomingRun, openIncomingMove } from "../src/moves/incoming-move.ts";
import { holdForMove, startMove } from "../src/moves/outgoing-move.ts";
import { anAccount } from "./builders.ts";
import { change } from "./send-rows.ts";

export const targetCell = { targetUrl: "https://b.mail.test", targetCell: "BB" };
export const sourceCell = { sourceUrl: "https://a.mail.test", sourceCell: "AA" };

export async function aMove(db: Database, accountId?: string) {
  return startMove(db, { accountId: accountId ?? (await anAccount(db)), ...targetCell });
}

export async function aHeldMove(db: Database, accountId?: string) {
  const move = await aMove(db, accountId);
  const { heldAt } = await holdForMove(db, move);
  return { ...move, heldAt };
}

export async function aFrozenMove(db: Database, accountId?: string) {
  const move = await aHeldMove(db, accountId);
  const frozen = await freeze(db, move);
  if (!frozen.isFrozen) throw new Error(frozen.reasons.join(" "));
  return move;
}

/** In the target, with an account as a copy leaves it: suspended. */
export async function anIncomingMove(db: Database, key: IncomingRun) {
  const move = await openIncomingMove(db, { ...key, ...sourceCell });
  await change(db, "insert into accounts (id, name, suspended_at) values ($1, 'Moved', now())", [key.accountId]);
  return move;
}

export async function suspendedAt(db: Database, accountId: string): Promise<string | null> {
  const [row] = await change(db, "select suspended_at::text as at from accounts where id = $1", [accountId]);
  if (row === undefined) throw new Error("there is no such account");
  return row.at as string | null;
}

/** The rows of the account in each queue, as JSON, in the order of their ids. */
export async function queuesOf(db: Database, accountId: string): Promise<Record<string, Record<string, unknown>[]>> {
  const [row] = await change(
    db,
    `select
       (select coalesce(json_agg(q order by q.id), '[]') from send_queue q where q.account_id = $1) as sends,
       (select coalesce(json_agg(q order by q.id), '[]') from scheduled_sends q where q.account_id = $1) as scheduled,
       (select coalesce(json_agg(q order by q.delivery_id), '[]') from webhook_queue q where q.account_id = $1) as webhooks`,
    [accountId],
  );
  return row as Record<string, Record<string, unknown>[]>;
}
