import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import { change } from "./send-rows.ts";

export type OutgoingState = "copying" | "held" | "frozen" | "released" | "unknown";
export type IncomingState = "copying" | "released" | "undone";

export const newHome = "https://cell-b.postern.test";

/** The row of a move out of this cell, as if the command had put it into this state so long ago. The rest of the cell is not changed. */
export async function anOutgoingMove(
  db: Database,
  accountId: string,
  state: OutgoingState,
  secondsAgo = 0,
): Promise<void> {
  await change(
    db,
    `insert into outgoing_moves (account_id, move_id, state, target_url, target_cell, held_at, frozen_at, released_at)
     select $1, $2, $3, $4, 'BB', case when $3 <> 'copying' then at end,
       case when $3 in ('frozen', 'released', 'unknown') then at end, case when $3 = 'released' then at end
     from (select now() - make_interval(secs => $5) as at) as given
     on conflict (account_id) do update
     set state = excluded.state, held_at = excluded.held_at, frozen_at = excluded.frozen_at, released_at = excluded.released_at`,
    [accountId, randomUUIDv7(), state, newHome, secondsAgo],
  );
}

export async function anIncomingMove(db: Database, accountId: string, state: IncomingState): Promise<void> {
  await change(
    db,
    `insert into incoming_moves (account_id, move_id, run_id, state, source_url, source_cell, ended_at)
     values ($1, $2, $2, $3, 'https://cell-a.postern.test', 'AA', case when $3 <> 'copying' then now() end)
     on conflict (account_id) do update set state = excluded.state, ended_at = excluded.ended_at`,
    [accountId, randomUUIDv7(), state],
  );
}

/** The move is undone, and nothing is left of it. */
export async function noMove(db: Database, accountId: string): Promise<void> {
  await change(db, "delete from outgoing_moves where account_id = $1", [accountId]);
  await change(db, "delete from incoming_moves where account_id = $1", [accountId]);
}
