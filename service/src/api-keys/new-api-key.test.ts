import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { generateApiKey } from "./api-key.ts";
import { newApiKey } from "./new-api-key.ts";
import { rollApiKey } from "./roll-api-key.ts";

const database = useTestDatabase();
const issuer = { pepper: aConfig().secrets.apiKeyPepper.current, cellCode: "AA" };

test("a new key never has the prefix of a key of an account that moves, nor of an earlier secret of it", async () => {
  const { moving, mover } = await aMovingAccount();
  const rolled = await rollApiKey(database.db.forAccount(mover), issuer, { id: moving.id, overlapSeconds: 60 });
  const other = await anAccount(database.db);
  for (const taken of [moving.keyPrefix, rolled.keyPrefix]) {
    const made = await newKeyFor(other, [taken, taken, "free"]);
    expect(made).toEqual({ tries: 3, keyPrefix: "free" });
  }
});

test("a prefix of an account that stays may come again, as always", async () => {
  const stays = await anApiKey(database.db, issuer, await anAccount(database.db));
  const made = await newKeyFor(await anAccount(database.db), [stays.keyPrefix]);
  expect(made).toEqual({ tries: 1, keyPrefix: stays.keyPrefix });
});

test("a generator that finds no free prefix is a bug, not an endless loop", async () => {
  const { moving } = await aMovingAccount();
  const account = await anAccount(database.db);
  await expect(newKeyFor(account, Array<string>(100).fill(moving.keyPrefix))).rejects.toThrow("20 generated keys");
});

test("creating and rolling a key both check its prefix", async () => {
  const account = await anAccount(database.db);
  const { id } = await anApiKey(database.db, issuer, account);
  await change(
    database.db,
    `create or replace function is_prefix_of_moved_key(prefix text) returns boolean language sql as 'select true'`,
  );
  await expect(anApiKey(database.db, issuer, account)).rejects.toThrow("generated keys");
  const rolling = rollApiKey(database.db.forAccount(account), issuer, { id, overlapSeconds: 0 });
  await expect(rolling).rejects.toThrow("generated keys");
});

async function aMovingAccount() {
  const mover = await anAccount(database.db);
  const moving = await anApiKey(database.db, issuer, mover);
  await change(
    database.db,
    "insert into outgoing_moves (account_id, move_id, target_url, target_cell) values ($1, $2, 'https://ab.mail.acme.io', 'AB')",
    [mover, randomUUID()],
  );
  return { mover, moving };
}

/** With the rights of an account, and a generator that makes these prefixes. */
async function newKeyFor(accountId: string, prefixes: string[]) {
  let tries = 0;
  const generate = () => {
    const keyPrefix = prefixes[tries] ?? "";
    tries += 1;
    return { ...generateApiKey("live", "AA"), keyPrefix };
  };
  const { keyPrefix } = await newApiKey(database.db.forAccount(accountId), "live", "AA", generate);
  return { tries, keyPrefix };
}
