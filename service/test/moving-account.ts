import type { Database } from "../src/db/database.ts";
import { anIncomingMove, anOutgoingMove, type IncomingState, noMove, type OutgoingState } from "./move-builders.ts";
import { change } from "./send-rows.ts";

/** The account moves from this cell, and is suspended as the command leaves it. `secondsAgo`: since when in this state. */
export async function moveOut(db: Database, accountId: string, state: OutgoingState, secondsAgo = 0): Promise<void> {
  await endMove(db, accountId);
  await anOutgoingMove(db, accountId, state, secondsAgo);
  if (state !== "copying") await suspend(db, accountId);
}

/** The account moves into this cell. */
export async function moveIn(db: Database, accountId: string, state: IncomingState): Promise<void> {
  await endMove(db, accountId);
  await anIncomingMove(db, accountId, state);
  if (state === "copying") await suspend(db, accountId);
}

/** The account works again in this cell. */
export async function endMove(db: Database, accountId: string): Promise<void> {
  await noMove(db, accountId);
  await change(db, "update accounts set suspended_at = null where id = $1", [accountId]);
}

async function suspend(db: Database, accountId: string): Promise<void> {
  await change(db, "update accounts set suspended_at = now() where id = $1", [accountId]);
}
