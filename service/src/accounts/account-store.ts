import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable, Transaction } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { holdReason } from "./account-hold.ts";

export interface Limits {
  perSecond: number;
  per10Seconds: number;
  perMinute: number;
}

/** Each action of this file on an account has the account itself as its target. */
const targetOf = (row: string) => ({ kind: "account", id: `${row}.id`, name: `${row}.name` }) as const;

export async function insertAccount(
  tx: Transaction,
  id: string,
  name: string,
  actor: Actor = systemActor,
): Promise<void> {
  await tx.query({
    name: "insert-account",
    text: `
      with created as (
        insert into accounts (id, name)
        values ($1, $2)
        returning id, name
      ), ${auditEntry({
        action: "account.create",
        actor: "$3",
        target: targetOf("created"),
        after: { name: "created.name" },
        from: "created",
      })}
      select
      from created`,
    values: [id, name, JSON.stringify(actor)],
  });
}

/** From the next request on, the API refuses the keys and tokens of a suspended account. None of its data is deleted. */
export async function suspendAccount(db: Queryable, accountId: string, actor: Actor = systemActor): Promise<void> {
  await db.query({
    name: "suspend-account",
    text: `
      with suspended as (
        update accounts
        set suspended_at = now()
        where id = $1
          and suspended_at is null
        returning id, name
      ), ${auditEntry({
        action: "account.suspend",
        actor: "$2",
        target: targetOf("suspended"),
        before: { suspended: "false" },
        after: { suspended: "true" },
        from: "suspended",
      })}
      select
      from suspended`,
    values: [accountId, JSON.stringify(actor)],
  });
}

export async function resumeAccount(db: Queryable, accountId: string, actor: Actor = systemActor): Promise<void> {
  await db.query({
    name: "resume-account",
    text: `
      with resumed as (
        update accounts
        set suspended_at = null
        where id = $1
          and suspended_at is not null
          and not exists (select from account_deletions d where d.account_id = $1)
        returning id, name
      ), ${auditEntry({
        action: "account.resume",
        actor: "$2",
        target: targetOf("resumed"),
        before: { suspended: "true" },
        after: { suspended: "false" },
        from: "resumed",
      })}
      select
      from resumed`,
    values: [accountId, JSON.stringify(actor)],
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
export async function holdAccount(
  db: Queryable,
  accountId: string,
  note: string | undefined,
  actor: Actor = systemActor,
): Promise<void> {
  await db.query({
    name: "hold-account",
    text: `
      with before as materialized (
        select id, held_at
        from accounts
        where id = $1
        for update
      ), held as (
        update accounts
        set held_at = coalesce(accounts.held_at, now()), hold_note = $2
        from before
        where accounts.id = before.id
        returning accounts.id, accounts.name, before.held_at is not null as was_held
      ), ${auditEntry({
        action: "account.hold",
        actor: "$3",
        target: targetOf("held"),
        // Without the note, which customers do not see.
        before: { held: "held.was_held" },
        after: { held: "true" },
        from: "held",
      })}
      select
      from held`,
    values: [accountId, note ?? null, JSON.stringify(actor)],
  });
}

/** Returns how long the account was on hold; undefined when it was not on hold. */
export async function releaseAccount(
  db: Queryable,
  accountId: string,
  actor: Actor = systemActor,
): Promise<{ heldSeconds: number } | undefined> {
  const [row] = await db.query<{ heldSeconds: number }>({
    name: "release-account",
    text: `
      with held as materialized (
        select id, held_at
        from accounts
        where id = $1 and held_at is not null
        for update
      ), released as (
        update accounts
        set held_at = null, hold_note = null
        from held
        where accounts.id = held.id
        returning accounts.id, accounts.name, extract(epoch from now() - held.held_at)::float8 as "heldSeconds"
      ), ${auditEntry({
        action: "account.release",
        actor: "$2",
        target: targetOf("released"),
        before: { held: "true" },
        after: { held: "false" },
        from: "released",
      })}
      select "heldSeconds"
      from released`,
    values: [accountId, JSON.stringify(actor)],
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
      with before as materialized (
        select id, totp_required
        from accounts
        where id = $1
        for update
      ), changed as (
        update accounts
        set totp_required = $2
        from before
        where accounts.id = before.id
          and accounts.totp_required <> $2
        returning accounts.id, accounts.name, before.totp_required as was_required
      ), ${auditEntry({
        action: "account.settings-change",
        actor: "$3",
        target: targetOf("changed"),
        before: { totp_required: "changed.was_required" },
        after: { totp_required: "$2::boolean" },
        from: "changed",
      })}
      select
      from changed`,
    values: [db.accountId, isRequired, JSON.stringify(db.actor)],
  });
}
