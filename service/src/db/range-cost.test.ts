import { expect, test } from "vitest";
import { makeHotStatements } from "../../test/hot-statements.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { isInRange } from "./code-range.ts";
import type { Database, Statement } from "./database.ts";

const database = useTestDatabase();

test("comparing code and schema costs an accept and a claim one block each", async () => {
  const seen: Statement[] = [];
  const observed: Database = {
    ...database.db,
    query: (statement) => {
      seen.push(statement);
      return database.db.query(statement);
    },
  };
  const { statements } = await makeHotStatements(observed);
  for (const name of ["accept-sends", "claim-sends"]) {
    for (const hot of statements) {
      await hot.run();
      if (seen.some((statement) => statement.name === name)) break;
    }
    const statement = seen.find((each) => each.name === name);
    if (statement === undefined) throw new Error(`no ${name}`);
    const without = { ...statement, text: statement.text.replaceAll(isInRange, "true") };
    expect(without.text).not.toBe(statement.text);
    // The first run also reads the catalogue.
    await blocksOf(statement);
    await blocksOf(without);
    expect((await blocksOf(statement)) - (await blocksOf(without))).toBe(1);
  }
});

async function blocksOf(statement: Statement): Promise<number> {
  let blocks = 0;
  const undone = new Error("undone");
  await database.db
    .withTransaction(async (tx) => {
      const [row] = await tx.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>({
        name: "explain",
        text: `explain (analyze, buffers, format json) ${statement.text}`,
        values: statement.values ?? [],
        isPlannedEachTime: true,
      });
      const plan = row?.["QUERY PLAN"][0]?.Plan;
      blocks = (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return blocks;
}
