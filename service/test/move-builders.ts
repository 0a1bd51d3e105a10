import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import { change } from "./send-rows.ts";

type OutgoingState = "copying" | "held" | "frozen" | "released" | "unknown";

/** The row of a move out of this cell, in this state, as if the command had just put it there. The rest of the cell is not changed. */
export async function anOutgoingMove(db: Database, accountId: string, state: OutgoingState): Promise<void> {
  await change(
    db,
    `insert into outgoing_moves (account_id, move_id, state, target_url, target_cell, held_at, frozen_at, released_at)
     values ($1, $2, $3, 'https://b.example.test', 'b', case when $3 <> 'copying' then now() end,
       case when $3 in ('frozen', 'released') then now() end, case when $3 = 'released' then now() end)
     on conflict (account_id) do update
     set state = excluded.state, held_at = excluded.held_at, frozen_at = excluded.frozen_at, released_at = excluded.released_at`,
    [accountId, randomUUIDv7(), state],
  );
}

export async function anIncomingMove(
  db: Database,
  accountId: string,
  state: "copying" | "released" | "undone",
): Promise<void> {
  await change(
    db,
    `insert into incoming_moves (account_id, move_id, run_id, state, source_url, source_cell, ended_at)
     values ($1, $2, $2, $3, 'https://a.example.test', 'a', case when $3 <> 'copying' then now() end)
     on conflict (account_id) do update set state = excluded.state, ended_at = excluded.ended_at`,
    [accountId, randomUUIDv7(), state],
  );
}

/** The move is undone, and nothing is left of it. */
export async function noMove(db: Database, accountId: string): Promise<void> {
  await change(db, `delete from outgoing_moves where account_id = $1`, [accountId]);
  await change(db, `delete from incoming_moves where account_id = $1`, [accountId]);
}
