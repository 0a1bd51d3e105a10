import { expect, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { createKeyUses } from "./key-uses.ts";

const database = useTestDatabase();
const issuer = { pepper: aConfig().secrets.apiKeyPepper.current, cellCode: "AA" };

test("a use is stored with the next flush, and at most once a minute by each process", async () => {
  let [nowMs, queries] = [0, 0];
  const query: Queryable["query"] = (statement) => {
    queries++;
    return database.db.query(statement);
  };
  const uses = createKeyUses({ query }, () => nowMs);
  const id = await aKey();
  for (let use = 0; use < 1000; use++) uses.note(id);
  await uses.flush();
  await uses.flush();
  expect([await ageSeconds(id), queries]).toEqual([0, 1]);
  nowMs = 59_999;
  uses.note(id);
  await uses.flush();
  expect(queries).toBe(1);
  nowMs = 60_000;
  uses.note(id);
  await uses.flush();
  expect(queries).toBe(2);
});

test("a process does not store a use within a minute of another process", async () => {
  const id = await aKey();
  for (const [before, after] of [
    [30, 30],
    [61, 0],
  ]) {
    await change(database.db, "update api_keys set last_used_at = now() - make_interval(secs => $2) where id = $1", [
      id,
      before,
    ]);
    const uses = createKeyUses(database.db);
    uses.note(id);
    await uses.flush();
    expect(await ageSeconds(id)).toBe(after);
  }
});

test("a use whose flush fails is stored by the next one", async () => {
  let isDown = true;
  const query: Queryable["query"] = (statement) => {
    if (isDown) throw new Error("down");
    return database.db.query(statement);
  };
  const uses = createKeyUses({ query });
  const id = await aKey();
  uses.note(id);
  await expect(uses.flush()).rejects.toThrow("down");
  isDown = false;
  await uses.flush();
  expect(await ageSeconds(id)).toBe(0);
});

async function aKey(): Promise<string> {
  return (await anApiKey(database.db, issuer, await anAccount(database.db))).id;
}

/** Rounded down to whole half minutes, so that a slow test does not fail. */
async function ageSeconds(id: string): Promise<number> {
  const age =
    "select floor(extract(epoch from now() - last_used_at) / 30)::integer * 30 as age from api_keys where id = $1";
  const [row] = await change(database.db, age, [id]);
  return Number(row?.age);
}
