import { expect, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { aConfig, aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { countKeysByPepper } from "./api-key-store.ts";
import { identifyApiKey } from "./identify-api-key.ts";

const database = useTestDatabase();
const [older, newer, newest] = [aSecret("older"), aSecret("newer"), aSecret("newest")];

test("a key made under the second pepper is accepted, and after its first use the second can go", async () => {
  const key = await aKeyUnder(older);
  expect((await identify(key, newer, older)).kind).toBe("valid");
  expect((await identify(key, newer)).kind).toBe("valid");
});

test("a key that was not used during a rotation is unknown afterwards, and is counted under its pepper", async () => {
  const key = await aKeyUnder(older);
  expect((await identify(key, newest)).kind).toBe("unknown");
  expect(await countKeysByPepper(database.db)).toContainEqual({ pepperId: "older", keys: 1 });
});

test("processes before and after the swap both accept a key, whoever sees it first", async () => {
  const key = await aKeyUnder(older);
  for (let round = 0; round < 3; round++) {
    expect((await identify(key, newer, older)).kind).toBe("valid");
    expect((await identify(key, older, newer)).kind).toBe("valid");
  }
});

test("twenty requests at once with a key of the old pepper are all accepted", async () => {
  const key = await aKeyUnder(older);
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => identify(key, newer, older)));
  expect(verdicts.every(({ kind }) => kind === "valid")).toBe(true);
});

async function aKeyUnder(pepper: string): Promise<string> {
  const { secrets } = aConfig({ API_KEY_PEPPER: pepper });
  const accountId = await anAccount(database.db);
  const press = { pepper: secrets.apiKeyPepper.current, cellCode: "AA" };
  return (await anApiKey(database.db, press, accountId)).key;
}

function identify(key: string, current: string, second?: string) {
  const { secrets } = aConfig({ API_KEY_PEPPER: current, API_KEY_PEPPER_SECOND: second });
  return identifyApiKey(database.db, secrets.apiKeyPepper, key);
}
