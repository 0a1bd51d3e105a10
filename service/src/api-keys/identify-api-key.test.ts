import { expect, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { aConfig, aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { countKeysByPepper } from "./api-key-store.ts";
import { identifyApiKey } from "./identify-api-key.ts";

const database = useTestDatabase();
const [older, newer, newest] = [aSecret("older"), aSecret("newer"), aSecret("newest")];

test("a key hashed with the second pepper is accepted, and after its first use the second pepper can be retired", async () => {
  const key = await aKeyUnder(older);
  expect((await identify(key, newer, older)).kind).toBe("valid");
  expect((await identify(key, newer)).kind).toBe("valid");
});

test("a key that was not used during a rotation is unknown afterwards, and still counts for its pepper", async () => {
  const key = await aKeyUnder(older);
  expect((await identify(key, newest)).kind).toBe("unknown");
  expect(await countKeysByPepper(database.db)).toContainEqual({ pepperId: "older", keys: 1 });
});

test("processes before and after the pepper swap both accept a key, in any order", async () => {
  const key = await aKeyUnder(older);
  for (let round = 0; round < 3; round++) {
    expect((await identify(key, newer, older)).kind).toBe("valid");
    expect((await identify(key, older, newer)).kind).toBe("valid");
  }
});

test("twenty concurrent requests with a key of the old pepper are all accepted", async () => {
  const key = await aKeyUnder(older);
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => identify(key, newer, older)));
  expect(verdicts.every(({ kind }) => kind === "valid")).toBe(true);
});

async function aKeyUnder(pepper: string): Promise<string> {
  const { secrets } = aConfig({ API_KEY_PEPPER: pepper });
  const accountId = await anAccount(database.db);
  const issuer = { pepper: secrets.apiKeyPepper.current, cellCode: "AA" };
  return (await anApiKey(database.db, issuer, accountId)).key;
}

function identify(key: string, current: string, second?: string) {
  const { secrets } = aConfig({ API_KEY_PEPPER: current, API_KEY_PEPPER_SECOND: second });
  return identifyApiKey(database.db, secrets.apiKeyPepper, key);
}
