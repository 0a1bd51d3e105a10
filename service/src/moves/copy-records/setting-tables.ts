import type { WrittenTable } from "./write-rows.ts";

/** A table with few rows of an account. Every pass copies all of them. */
export interface SettingTable extends WrittenTable {
  /** SQL: which rows `t` belong to account `$1`. */
  where: string;
  /** Belongs to people, who may be members of other accounts of the target. `$2`: those are not changed. */
  user?: "t.id" | "t.user_id";
  /** Only from a source that is frozen: what the target would act on. */
  isLast?: boolean;
}

const isMember = "in (select m.user_id from memberships m where m.account_id = $1)";
const ofAccount = "t.account_id = $1";
/** The target would send a notice of a hold before the account lives there. */
const holds = ["held_at", "hold_note", "guard_held_at", "guard_reason"];

/** Parents first. */
export function settingTables(isLast: boolean): SettingTable[] {
  const tables: SettingTable[] = [
    {
      table: "accounts",
      where: "t.id = $1",
      unique: ["id"],
      // Of the provider's account and of the endpoints of this cell.
      without: ["tenant_ready_at", "domain_changes_at", "has_webhooks", "keeps_key_texts", ...(isLast ? [] : holds)],
      changed: { suspended_at: "now()" },
      insertedOnly: ["suspended_at", "created_at"],
    },
    {
      table: "users",
      where: `t.id ${isMember}`,
      user: "t.id",
      unique: ["id"],
      // The home account may live elsewhere. Nobody operates a cell because of a move.
      without: ["is_operator", "operator_since"],
    },
    { table: "memberships", where: ofAccount, unique: ["user_id", "account_id"] },
    { table: "recovery_codes", where: `t.user_id ${isMember}`, user: "t.user_id", unique: ["user_id", "code_hash"] },
    { table: "oidc_identities", where: `t.user_id ${isMember}`, user: "t.user_id", unique: ["issuer", "subject"] },
    { table: "api_keys", where: ofAccount, unique: ["id"] },
    // A key has one secret without an end. Those that end are written first.
    { table: "api_key_secrets", where: ofAccount, unique: ["id"], order: "r.ends_at is null, r.id" },
    { table: "account_quotas", where: ofAccount, unique: ["account_id", "mode"] },
    { table: "webhook_endpoints", where: ofAccount, unique: ["id"], isLast: true },
    // A secret never changes, but each seal of it differs.
    { table: "webhook_secrets", where: ofAccount, unique: ["id"], insertedOnly: ["sealed"], isLast: true },
    { table: "webhook_replays", where: `${ofAccount} and t.state <> 'running'`, unique: ["id"], isLast: true },
    { table: "guard_counts", where: ofAccount, unique: ["account_id", "epoch", "day"], isLast: true },
  ];
  return tables.filter((table) => isLast || !table.isLast);
}

/** Only members leave: their membership goes, and `removePeople` deletes those who are in no other account. */
export function isEmptied({ table }: SettingTable): boolean {
  return table !== "accounts" && table !== "users";
}
