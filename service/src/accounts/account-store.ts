import type { AccountDatabase, Queryable, Transaction } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { holdReason } from "./account-hold.ts";

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

/** From the next request on, the API refuses the keys and tokens of a suspended account. None of its data is deleted. */
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

export interface AccountProfile extends Limits {
  id: string;
  name: string;
  /** Why the mail of this mode is on hold; null when it is not. */
  holdReason: string | null;
  totpRequired: boolean;
}

export async function findAccount(db: AccountDatabase, mode: Mode = "live"): Promise<AccountProfile | undefined> {
  const [row] = await db.query<AccountProfile>({
    name: "find-account",
    text: `
      select id, name,
        limit_per_second as "perSecond", limit_per_10_seconds as "per10Seconds", limit_per_minute as "perMinute",
        ${holdReason("accounts", "$2")} as "holdReason", totp_required as "totpRequired"
      from accounts
      where id = $1`,
    values: [db.accountId, mode],
  });
  return row;
}

/** The API accepts mail of a held account; `queue/parked-sends.ts` parks it. A second hold replaces the note. */
export async function holdAccount(db: Queryable, accountId: string, note: string | undefined): Promise<void> {
  await db.query({
    name: "hold-account",
    text: `
      update accounts
      set held_at = coalesce(held_at, now()), hold_note = $2
      where id = $1`,
    values: [accountId, note ?? null],
  });
}

/** Returns how long the account was on hold; undefined when it was not on hold. */
export async function releaseAccount(db: Queryable, accountId: string): Promise<{ heldSeconds: number } | undefined> {
  const [row] = await db.query<{ heldSeconds: number }>({
    name: "release-account",
    text: `
      with held as materialized (
        select id, held_at
        from accounts
        where id = $1 and held_at is not null
        for update
      )
      update accounts
      set held_at = null, hold_note = null
      from held
      where accounts.id = held.id
      returning extract(epoch from now() - held.held_at)::float8 as "heldSeconds"`,
    values: [accountId],
  });
  return row;
}

export interface HeldAccount {
  id: string;
  name: string;
  note: string | null;
  heldSeconds: number;
}

/** At most 100 accounts, longest on hold first. */
export async function listHeldAccounts(db: Queryable): Promise<HeldAccount[]> {
  return db.query<HeldAccount>({
    name: "list-held-accounts",
    text: `
      select id, name, hold_note as note, extract(epoch from now() - held_at)::float8 as "heldSeconds"
      from accounts
      where held_at is not null
      order by held_at
      limit 100`,
  });
}

/** From the next request on, users of the account without TOTP can only enrol. */
export async function setTotpRequired(db: AccountDatabase, isRequired: boolean): Promise<void> {
  await db.query({
    name: "set-totp-required",
    text: `
      update accounts
      set totp_required = $2
      where id = $1`,
    values: [db.accountId, isRequired],
  });
}
