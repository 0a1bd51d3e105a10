import type { Queryable, Transaction } from "../db/database.ts";

export interface Limits {
  perSecond: number;
  per10Seconds: number;
  perMinute: number;
}

export async function insertAccount(tx: Transaction, id: string, name: string): Promise<void> {
  await tx.query({
    name: "insert-account",
    text: `
      insert into accounts (id, name)
      values ($1, $2)`,
    values: [id, name],
  });
}

/** Keys and tokens of a suspended account are refused from the next request on; nothing of it is deleted. */
export async function suspendAccount(db: Queryable, accountId: string): Promise<void> {
  await db.query({
    name: "suspend-account",
    text: `
      update accounts
      set suspended_at = coalesce(suspended_at, now())
      where id = $1`,
    values: [accountId],
  });
}

export async function resumeAccount(db: Queryable, accountId: string): Promise<void> {
  await db.query({
    name: "resume-account",
    text: `
      update accounts
      set suspended_at = null
      where id = $1`,
    values: [accountId],
  });
}

/** Limits that are not given stay as they are. */
export async function setLimits(db: Queryable, accountId: string, limits: Partial<Limits>): Promise<Limits> {
  const [row] = await db.query<Limits>({
    name: "set-limits",
    text: `
      update accounts
      set limit_per_second = coalesce($2, limit_per_second),
          limit_per_10_seconds = coalesce($3, limit_per_10_seconds),
          limit_per_minute = coalesce($4, limit_per_minute)
      where id = $1
      returning limit_per_second as "perSecond", limit_per_10_seconds as "per10Seconds", limit_per_minute as "perMinute"`,
    values: [accountId, limits.perSecond ?? null, limits.per10Seconds ?? null, limits.perMinute ?? null],
  });
  if (row === undefined) throw new Error("the account to limit does not exist");
  return row;
}

export interface AccountProfile extends Limits {
  id: string;
  name: string;
}

export async function findAccount(db: Queryable, accountId: string): Promise<AccountProfile | undefined> {
  const [row] = await db.query<AccountProfile>({
    name: "find-account",
    text: `
      select id, name,
        limit_per_second as "perSecond", limit_per_10_seconds as "per10Seconds", limit_per_minute as "perMinute"
      from accounts
      where id = $1`,
    values: [accountId],
  });
  return row;
}
