import { createHmac, randomUUIDv7 } from "node:crypto";
import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Database, Queryable, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { SecretPair } from "../secret.ts";
import { openSealedKey } from "../storage/sealed-key.ts";

export interface Erasure {
  id: string;
  step: string;
  position: string[];
  startedAt: string;
  /** An earlier run was interrupted. */
  isContinued: boolean;
}

interface ErasureKey {
  addressHash: string;
  accountId: string | undefined;
}

const noAccount = "00000000-0000-0000-0000-000000000000";

/** Names an address in the audit and in the table of erasures without holding it. The key never changes, and stays in the database sealed. */
export async function hashOfAddress(db: Queryable, contentKeys: SecretPair, address: string): Promise<string> {
  const key = await openSealedKey(db, contentKeys, "fingerprint");
  return createHmac("sha256", key).update(`erased address\0${address}`).digest("hex").slice(0, 32);
}

/**
 * Continues the run that was interrupted, if there is one. Not while an account is on its way to or from another cell: the copy could keep what the run has
 * passed. A move waits for the end of a run in the same way (moves/move-obstacles.ts).
 */
export function startErasure(
  db: Database,
  of: ErasureKey,
  first: { step: string; position: string[] },
): Promise<Erasure> {
  return db.withTransaction(async (tx) => {
    await tx.query({
      name: "lock-erasures",
      text: "select pg_advisory_xact_lock(hashtextextended('moves and erasures', 0))",
    });
    const erasure = await insertErasure(tx, of, first);
    const moving = erasure.isContinued ? [] : await listMoving(tx, of.accountId);
    if (moving.length === 0) return erasure;
    throw new AppError(
      "CONFLICT",
      `Accounts are moving to or from another cell: ${moving.join(", ")}. Run the command again in both cells when they have moved.`,
    );
  });
}

async function insertErasure(tx: Transaction, of: ErasureKey, first: { step: string; position: string[] }) {
  const [row] = await tx.query<Erasure>({
    name: "start-erasure",
    text: `
      with started as (
        insert into erasures (id, address_hash, account_id, step, position)
        values ($1, $2, $3, $4, $5)
        on conflict (address_hash, coalesce(account_id, '${noAccount}')) where finished_at is null do nothing
        returning id, step, position, started_at
      )
      select id, step, position, started_at as "startedAt", false as "isContinued" from started
      union all
      select id, step, position, started_at, true
      from erasures
      where address_hash = $2
        and account_id is not distinct from $3
        and finished_at is null`,
    values: [randomUUIDv7(), of.addressHash, of.accountId ?? null, first.step, first.position],
  });
  if (row === undefined)
    throw new AppError("CONFLICT", "The same erasure was started just now. Run the command again.");
  return row;
}

/** While an account is only copied ahead, the next pass copies what a run changes. A target does not know that of its source. */
async function listMoving(tx: Transaction, accountId: string | undefined): Promise<string[]> {
  const rows = await tx.query<{ accountId: string }>({
    name: "list-moving-accounts",
    text: `
      select account_id as "accountId"
      from (
        select account_id from outgoing_moves where state in ('held', 'frozen', 'unknown')
        union
        select account_id from incoming_moves where state = 'copying'
      ) as moving
      where $1::uuid is null
        or account_id = $1
      order by account_id
      limit 10`,
    values: [accountId ?? null],
  });
  return rows.map((row) => row.accountId);
}

/** SQL: the step that counts the erased rows of `table`; `hits` selects the account of each. `$1` is the run. */
export function countErased(table: string, hits: string): string {
  return `counted as (
        insert into erasure_counts as known (erasure_id, table_name, account_id, rows)
        select $1::uuid, '${table}', coalesce(account_id, '${noAccount}'), count(*)
        from (${hits}) as hit
        group by 3
        order by 3
        on conflict (erasure_id, table_name, account_id) do update
        set rows = known.rows + excluded.rows
      )`;
}

/** SQL: moves the run `$1` to the row in `last_read`. */
export function advance(step: string): string {
  return `advanced as (
        update erasures
        set step = ${step}, position = last_read.position
        from last_read
        where erasures.id = $1
      )`;
}

export async function moveToStep(db: Queryable, erasureId: string, step: string, position: string[]): Promise<void> {
  await db.query({
    name: "move-erasure",
    text: `update erasures set step = $2, position = $3 where id = $1`,
    values: [erasureId, step, position],
  });
}

/** Ends the run, and says so in the audit of every account in which it erased something: with the hash, not with the address. */
export async function finishErasure(db: Queryable, erasureId: string, actor: Actor = systemActor): Promise<void> {
  await db.query({
    name: "finish-erasure",
    text: `
      with finished as (
        update erasures
        set finished_at = now()
        where id = $1
          and finished_at is null
        returning id, address_hash, account_id
      ), ${auditEntry({
        action: "address.erase",
        actor: "$2",
        account: "erased.account_id",
        target: { kind: "address", id: "erased.address_hash" },
        after: { rows: "erased.rows" },
        from: `(
          select finished.address_hash, counted.account_id, jsonb_object_agg(counted.table_name, counted.rows) as rows
          from finished
          join erasure_counts counted on counted.erasure_id = finished.id
          where counted.account_id <> '${noAccount}'
          group by 1, 2
          union all
          select finished.address_hash, finished.account_id, '{}'
          from finished
          where finished.account_id is not null
            and not exists (
              select from erasure_counts c where c.erasure_id = finished.id and c.account_id = finished.account_id
            )
        ) as erased`,
      })}
      select`,
    values: [erasureId, JSON.stringify(actor)],
  });
}

export function readCounts(db: Queryable, erasureId: string): Promise<{ table: string; rows: number }[]> {
  return db.query<{ table: string; rows: number }>({
    name: "read-erasure-counts",
    text: `
      select table_name as table, sum(rows)::bigint as rows
      from erasure_counts
      where erasure_id = $1
      group by table_name
      order by table_name`,
    values: [erasureId],
  });
}
