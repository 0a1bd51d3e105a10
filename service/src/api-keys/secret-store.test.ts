import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";

const database = useTestDatabase();
const issuer = { pepper: aConfig().secrets.apiKeyPepper.current, cellCode: "AA" };

test("no statement of an account can add a secret to the key of another account", async () => {
  const [mine, theirs] = [await anAccount(database.db), await anAccount(database.db)];
  const { id } = await anApiKey(database.db, issuer, theirs);
  // Otherwise the unique index on the newest secret refuses it.
  await change(database.db, "update api_key_secrets set ends_at = now() where key_id = $1", [id]);
  const added = database.db.forAccount(mine).query({
    name: "test-add-secret",
    text: "insert into api_key_secrets (id, key_id, account_id, pepper_id, hmac) values ($1, $2, $3, 'p', '\\x01')",
    values: [randomUUIDv7(), id, mine],
  });
  await expect(added).rejects.toMatchObject({ constraint: "api_key_secrets_key_of_account" });
});

test("only the owner of the tables may execute the function that keeps the secret of a key", async () => {
  const text = "select has_function_privilege('pg_database_owner', 'keep_secret_of_key()', 'execute') as may";
  expect(await change(database.db, text)).toEqual([{ may: false }]);
});
