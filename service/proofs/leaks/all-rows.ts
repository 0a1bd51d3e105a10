import type { Database } from "../../src/db/database.ts";

/** Every row of every table as text, like a dump: values that PostgreSQL compresses on disk are readable here. */
export async function readAllRows(db: Database): Promise<string[]> {
  const tables = await db.query<{ name: string }>({
    name: "all-tables",
    text: "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  });
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await db.query<{ text: string }>({
      name: `rows of ${name}`,
      text: `select t::text as text from ${name} t`,
    });
    rows.push(...found.map(({ text }) => text));
  }
  return rows;
}
