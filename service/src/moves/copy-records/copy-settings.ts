import type { Database, Transaction } from "../../db/database.ts";
import { createTotpKey } from "../../logins/totp-key.ts";
import { changeSetting, openSettingKeys, type SettingRow } from "./change-setting.ts";
import type { CopyDeps } from "./copy-deps.ts";
import { isEmptied, type SettingTable, settingTables } from "./setting-tables.ts";
import { type Columns, writeRows } from "./write-rows.ts";

/**
 * Copies the account, its people, keys and quotas: all rows of one snapshot, in one commit. A key without its secret, or a member without a
 * user, would break constraints.
 */
export async function copySettings(
  deps: CopyDeps,
  columns: Columns,
  { isLast, onRows }: { isLast: boolean; onRows: (table: string, rows: number) => void },
): Promise<void> {
  const { source, target, inTarget, accountId, keys } = deps;
  const totpKeys = { source: createTotpKey(keys.source), target: createTotpKey(keys.target) };
  const opened = await openSettingKeys(deps, totpKeys);
  const found = await readSettings(source, accountId, settingTables(isLast));
  const people = found.flatMap(({ setting, rows }) => (setting.user === undefined ? [] : rows.map(userOf)));
  const elsewhere = await findPeopleElsewhere(target, accountId, people);
  const settings = found.map(({ setting, rows }) => ({
    setting,
    rows: rows
      .filter((row) => setting.user === undefined || !elsewhere.includes(userOf(row)))
      .map((row) => JSON.stringify(changeSetting(setting.table, row, accountId, opened))),
  }));
  await inTarget(async (tx) => {
    for (const { setting, rows } of settings.toReversed()) {
      if (isEmptied(setting)) onRows(setting.table, await removeOthers(tx, setting, rows, { accountId, elsewhere }));
    }
    for (const { setting, rows } of settings) {
      onRows(setting.table, await writeRows(tx, columns, setting, rows));
    }
  });
}

function userOf({ id, user_id: userId = id }: SettingRow): string {
  return String(userId);
}

/** Numbers of these tables are small, so `JSON.parse` keeps them. */
function readSettings(source: Database, accountId: string, settings: SettingTable[]) {
  return source.withTransaction(async (tx) => {
    await tx.query({
      name: "read-one-snapshot",
      text: "set transaction isolation level repeatable read, read only",
    });
    const found: { setting: SettingTable; rows: SettingRow[] }[] = [];
    for (const setting of settings) {
      const [row] = await tx.query<{ rows: SettingRow[] }>({
        name: `read-settings-${setting.table}`,
        text: `
          select coalesce(json_agg(t), '[]') as rows
          from ${setting.table} t
          where ${setting.where}`,
        values: [accountId],
      });
      found.push({ setting, rows: row?.rows ?? [] });
    }
    return found;
  });
}

/** Of these, the members of another account of the target, and its operators: their password and second factor there are not those of the source. */
async function findPeopleElsewhere(target: Database, accountId: string, userIds: string[]): Promise<string[]> {
  const rows = await target.query<{ id: string }>({
    name: "find-people-elsewhere",
    text: `
      select u.id
      from users u
      where u.id = any ($2::uuid[])
        and (u.is_operator or exists (select from memberships m where m.user_id = u.id and m.account_id <> $1))`,
    values: [accountId, userIds],
  });
  return rows.map(({ id }) => id);
}

async function removeOthers(
  tx: Transaction,
  { table, where, user, unique }: SettingTable,
  rows: string[],
  { accountId, elsewhere }: { accountId: string; elsewhere: string[] },
): Promise<number> {
  const key = (alias: string) => unique.map((column) => `${alias}.${column}`).join(", ");
  const gone = await tx.query<{ userId: string | null }>({
    name: `remove-settings-${table}`,
    text: `
      delete from ${table} t
      where ${where}
        and array_position($2::uuid[], ${user ?? "null"}) is null
        and not exists (select from json_populate_recordset(null::${table}, $3::json) r where (${key("r")}) = (${key("t")}))
      returning ${table === "memberships" ? "t.user_id" : "null::uuid"} as "userId"`,
    values: [accountId, elsewhere, `[${rows.join(",")}]`],
  });
  if (table === "memberships")
    await removePeople(
      tx,
      gone.flatMap(({ userId }) => userId ?? []),
    );
  return gone.length;
}

/** Before new members are written: one of them may have the email of one who left. */
async function removePeople(tx: Transaction, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return;
  await tx.query({
    name: "remove-people-without-account",
    text: `
      delete from users u
      where u.id = any ($1::uuid[])
        and not u.is_operator
        and not exists (select from memberships m where m.user_id = u.id)`,
    values: [userIds],
  });
}
