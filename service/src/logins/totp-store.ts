import { emailOf, withAuditAccount } from "../accounts/user-store.ts";
import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable, Transaction } from "../db/database.ts";

/** Whose TOTP it is, and in which account the user is logged in: its audit gets the entry. */
export interface TotpUser {
  userId: string;
  accountId: string;
  actor: Actor;
}

/** SQL: the entry of an action on the TOTP of the user in `$1`, who is in the row `from`. */
function totpEntry(
  action: "totp.enrol" | "totp.confirm" | "totp.disable" | "totp.recovery-codes-renew",
  { account, actor, from, ...facts }: { account: string; actor: string; from: string; after?: Record<string, string> },
): string {
  const target = { kind: "user", id: "$1::uuid", name: emailOf("$1::uuid") } as const;
  return auditEntry({ action, actor, account: `(${account})::uuid`, target, from, ...facts });
}

export interface StoredTotp {
  /** Sealed; null before the first enrolment. */
  secret: Buffer | null;
  enabledAt: string | null;
  recoveryCodes: number;
  /** In seconds, by the database's clock. */
  now: number;
}

export async function findTotp(db: Queryable, userId: string): Promise<StoredTotp | undefined> {
  const [row] = await db.query<StoredTotp>({
    name: "find-totp",
    text: `
      select totp_secret as secret, totp_enabled_at as "enabledAt",
        (select count(*)::integer from recovery_codes where user_id = users.id) as "recoveryCodes",
        extract(epoch from now())::float8 as now
      from users
      where id = $1`,
    values: [userId],
  });
  return row;
}

/** Replaces an earlier enrolment that was not confirmed. Returns false when TOTP is enabled. */
export async function storeEnrolment(
  db: Queryable,
  { userId, accountId, actor }: TotpUser,
  sealed: Buffer,
): Promise<boolean> {
  const rows = await db.query({
    name: "store-totp-enrolment",
    text: `
      with enrolled as (
        update users
        set totp_secret = $2, totp_last_step = null
        where id = $1
          and totp_enabled_at is null
        returning id
      ), ${totpEntry("totp.enrol", { account: "$3", actor: "$4", from: "enrolled" })}
      select id
      from enrolled`,
    values: [userId, sealed, accountId, JSON.stringify(actor)],
  });
  return rows.length === 1;
}

/** What a code proves: it is unused, and belongs to the secret that was checked. */
export interface UsedCode {
  /** Sealed, as it was checked. */
  secret: Buffer;
  step: number | null;
  recoveryHash: Buffer | null;
}

/** First in the transaction: the next statement then sees the recovery codes of the one that it has waited for, and deletes them. */
export async function lockUser(tx: Transaction, userId: string): Promise<void> {
  await tx.query({
    name: "lock-user",
    text: `
      select id
      from users
      where id = $1
      for no key update`,
    values: [userId],
  });
}

/** Enables TOTP and stores the recovery codes, in place of any earlier ones. Returns false when another request has confirmed or restarted the enrolment. */
export async function enableTotp(
  tx: Transaction,
  { userId, accountId, actor }: TotpUser,
  used: UsedCode,
  codeHashes: Buffer[],
): Promise<boolean> {
  const rows = await tx.query({
    name: "enable-totp",
    text: `
      with enabled as (
        update users
        set totp_enabled_at = clock_timestamp(), totp_last_step = $3
        where id = $1
          and totp_secret = $2
          and totp_enabled_at is null
        returning id
      ), old as (
        delete from recovery_codes
        where user_id in (select id from enabled)
      ), ${totpEntry("totp.confirm", { account: "$5", actor: "$6", from: "enabled", after: { enabled: "true" } })}
      insert into recovery_codes (user_id, code_hash)
      select enabled.id, code_hash
      from enabled
      cross join unnest($4::bytea[]) as code_hash
      order by code_hash
      returning user_id`,
    values: [userId, used.secret, used.step, codeHashes, accountId, JSON.stringify(actor)],
  });
  return rows.length > 0;
}

/**
 * SQL: uses up the code of a user whose TOTP is enabled, and returns the user's id. The lock on the user settles two uses at once: the
 * second finds the step used, or the recovery code deleted. $1 user, $2 secret, $3 step, $4 hash of the recovery code.
 */
const usedUp = `
      user_of_code as materialized (
        select id
        from users
        where id = $1
          and totp_secret = $2
          and totp_enabled_at is not null
          and ($3::bigint is null or totp_last_step is null or totp_last_step < $3)
        for no key update
      ), used_code as (
        delete from recovery_codes
        where user_id in (select id from user_of_code)
          and code_hash = $4
        returning user_id
      ), proven as materialized (
        select id
        from user_of_code
        where $3::bigint is not null or exists (select from used_code)
      )`;

/** Uses a code up for an action that is no statement here. Returns false like `disableTotp`. */
export async function useCode(db: Queryable, userId: string, used: UsedCode): Promise<boolean> {
  const rows = await db.query({
    name: "use-code",
    text: `
      with ${usedUp}
      update users
      set totp_last_step = coalesce($3, totp_last_step)
      where id in (select id from proven)
      returning id`,
    values: [userId, used.secret, used.step, used.recoveryHash],
  });
  return rows.length === 1;
}

const factorFact = { second_factor: "case when $3::bigint is null then 'recovery-code' else 'totp' end" };

/** Returns false when the code is used up, or TOTP has changed since it was checked. The caller has locked the user. */
export async function disableTotp(
  db: Transaction,
  { userId, accountId, actor }: TotpUser,
  used: UsedCode,
): Promise<boolean> {
  const rows = await db.query({
    name: "disable-totp",
    text: `
      with ${usedUp}, codes as (
        delete from recovery_codes
        where user_id in (select id from proven)
          and code_hash is distinct from $4
      ), ${totpEntry("totp.disable", { account: "$5", actor: "$6", from: "proven", after: { enabled: "false", ...factorFact } })}
      update users
      set totp_secret = null, totp_enabled_at = null, totp_last_step = null
      where id in (select id from proven)
      returning id`,
    values: [userId, used.secret, used.step, used.recoveryHash, accountId, JSON.stringify(actor)],
  });
  return rows.length === 1;
}

/** Without a code, for the operator. Returns false when TOTP was off. */
export async function removeTotp(tx: Transaction, userId: string, actor: Actor): Promise<boolean> {
  const rows = await tx.query({
    name: "remove-totp",
    text: `
      with removed as (
        update users
        set totp_secret = null, totp_enabled_at = null, totp_last_step = null
        where id = $1
          and totp_enabled_at is not null
        returning id, account_id
      ), codes as (
        delete from recovery_codes
        where user_id in (select id from removed)
      ), attempts as (
        delete from code_attempts
        where user_id in (select id from removed)
      ), ${totpEntry("totp.disable", { account: "audit_account.account_id", actor: "$2", from: withAuditAccount("removed"), after: { enabled: "false" } })}
      select id
      from removed`,
    values: [userId, JSON.stringify(actor)],
  });
  return rows.length === 1;
}

/** Returns false like `disableTotp`. The caller has locked the user. */
export async function replaceRecoveryCodes(
  db: Transaction,
  { userId, accountId, actor }: TotpUser,
  used: UsedCode,
  codeHashes: Buffer[],
): Promise<boolean> {
  const rows = await db.query({
    name: "replace-recovery-codes",
    text: `
      with ${usedUp}, old as (
        delete from recovery_codes
        where user_id in (select id from proven)
          and code_hash is distinct from $4
      ), stepped as (
        update users
        set totp_last_step = coalesce($3, totp_last_step)
        where id in (select id from proven)
      ), ${totpEntry("totp.recovery-codes-renew", { account: "$6", actor: "$7", from: "proven", after: factorFact })}
      insert into recovery_codes (user_id, code_hash)
      select proven.id, code_hash
      from proven
      cross join unnest($5::bytea[]) as code_hash
      order by code_hash
      returning user_id`,
    values: [userId, used.secret, used.step, used.recoveryHash, codeHashes, accountId, JSON.stringify(actor)],
  });
  return rows.length > 0;
}
