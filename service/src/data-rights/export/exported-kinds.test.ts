import { expect, test } from "vitest";
import { change } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { type ExportedKind, exportedKinds } from "./exported-kinds.ts";
import { leftOutTables } from "./left-out-tables.ts";

const database = useTestDatabase();

/** Tables without a row that belongs to an account, to its mail or to its people. */
const ofTheInstallation = [
  "cell",
  "chore_runs",
  "chores",
  "control_budget",
  "database_sizes",
  "failover_marks",
  "failovers",
  "feedback_consumers",
  "feedback_progress",
  "guard_rounds",
  "identity_removals",
  "login_attempts",
  "processes",
  "provider_state",
  "record_retention",
  "schema_contracts",
  "schema_migrations",
  "schema_range",
  "sealed_keys",
  "search_progress",
  "usage_totals",
  "used_oidc_states",
];

test("each table with data of accounts is exported, or left out for a reason that the manifest says", async () => {
  const tables = Object.keys(await columnsByTable());
  const known = [...exportedKinds.map(({ table }) => table), ...Object.keys(leftOutTables), ...ofTheInstallation];
  expect(known.toSorted()).toEqual(tables.toSorted());
  const withAccount = Object.entries(await columnsByTable()).filter(([, columns]) => columns.includes("account_id"));
  expect(withAccount.filter(([table]) => ofTheInstallation.includes(table))).toEqual([]);
});

test("each column of an exported table is exported or withheld", async () => {
  const tables = await columnsByTable();
  for (const kind of exportedKinds) {
    const account = kind.account === undefined && kind.readBy !== "sends" ? ["account_id"] : [];
    const known = new Set([...account, ...usedColumns(kind), ...wordsOf(kind.withheld)]);
    const ofTable = (tables[kind.table] ?? []).filter((column) => known.has("account_id") || column !== "account_id");
    expect([kind.table, [...known].toSorted()]).toEqual([kind.table, ofTable.toSorted()]);
  }
});

test("no hash, secret, token or sealed column is exported", () => {
  const exported = exportedKinds.flatMap((kind) => usedColumns(kind).map((column) => `${kind.table}.${column}`));
  expect(exported.filter((column) => /hash|secret|hmac|token|sealed|signature|password/.test(column))).toEqual([
    // They are in the DNS.
    "domains.challenge_token",
    "domains.dkim_tokens",
  ]);
});

function usedColumns({ columns, computed = {} }: ExportedKind): string[] {
  const inExpressions = Object.values(computed).flatMap((sql) => [...sql.matchAll(/\bt\.(\w+)/g)]);
  return [...new Set([...wordsOf(columns), ...inExpressions.flatMap(([, column]) => column ?? [])])];
}

function wordsOf(text = ""): string[] {
  return text.split(" ").filter((word) => word !== "");
}

async function columnsByTable(): Promise<Record<string, string[]>> {
  const rows = await change(
    database.db,
    `select c.relname as name, array_agg(a.attname::text) as columns
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by 1`,
  );
  return Object.fromEntries(rows.map(({ name, columns }) => [String(name), columns as string[]]));
}
