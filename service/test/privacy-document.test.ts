import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { change } from "./send-rows.ts";
import { useTestDatabase } from "./use-test-database.ts";

const database = useTestDatabase();
const document = readFileSync(new URL("../../docs/privacy.md", import.meta.url), "utf8");

test("docs/privacy.md says of every table how long its rows are kept, and names no other table", async () => {
  const rows = await change(
    database.db,
    `select relname as name
     from pg_class
     where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p')
       and not relispartition`,
  );
  const tables = rows.map(({ name }) => String(name)).toSorted();
  const cells = [...document.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].map(([, cell]) => cell ?? "");
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name ?? ""));
  expect(named.toSorted()).toEqual(tables);
});
