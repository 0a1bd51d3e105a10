import { randomUUID } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import { change } from "./send-rows.ts";

export const newHome = "https://cell-b.postern.test";

type Outgoing = "copying" | "held" | "frozen" | "released" | "unknown";

/** The account moves from this cell. `secondsAgo`: since when in this state. */
export async function moveOut(db: Database, accountId: string, state: Outgoing, secondsAgo = 0): Promise<void> {
  await endMove(db, accountId);
  await change(
    db,
    `insert into outgoing_moves (account_id, move_id, state, target_url, target_cell, held_at, frozen_at, released_at)
     select $1, $2, $3, $4, 'BB', case when $3 <> 'copying' then at end,
       case when $3 in ('frozen', 'released', 'unknown') then at end, case when $3 = 'released' then at end
     from (select now() - make_interval(secs => $5) as at) as given`,
    [accountId, randomUUID(), state, newHome, secondsAgo],
  );
  if (state !== "copying") await suspend(db, accountId);
}

/** The account moves into this cell. */
export async function moveIn(db: Database, accountId: string, state: "copying" | "released" | "undone"): Promise<void> {
  await endMove(db, accountId);
  await change(
    db,
    `insert into incoming_moves (account_id, move_id, run_id, state, source_url, source_cell, ended_at)
     values ($1, $2, $2, $3, 'https://cell-a.postern.test', 'AA', case when $3 <> 'copying' then now() end)`,
    [accountId, randomUUID(), state],
  );
  if (state === "copying") await suspend(db, accountId);
}

/** The account works again in this cell. */
export async function endMove(db: Database, accountId: string): Promise<void> {
  await change(db, "delete from outgoing_moves where account_id = $1", [accountId]);
  await change(db, "delete from incoming_moves where account_id = $1", [accountId]);
  await change(db, "update accounts set suspended_at = null where id = $1", [accountId]);
}

async function suspend(db: Database, accountId: string): Promise<void> {
  await change(db, "update accounts set suspended_at = now() where id = $1", [accountId]);
}
