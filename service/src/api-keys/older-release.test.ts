import { randomBytes, randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig, aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { apiKeyHmac, generateApiKey } from "./api-key.ts";
import { identifyApiKey } from "./identify-api-key.ts";
import { rollApiKey } from "./roll-api-key.ts";

/** Processes of the release before run on this schema and read only api_keys.secret_hmac. */
const database = useTestDatabase();
const peppers = aConfig().secrets.apiKeyPepper;
const issuer = { pepper: peppers.current, cellCode: "AA" };
const statementOfOlderRelease = "select id from api_keys where secret_hmac = $1";

test("a key that the older release creates is known, with the scope send", async () => {
  const { key, keyPrefix } = generateApiKey("live", "AA");
  const accountId = await anAccount(database.db);
  await change(
    database.db,
    `insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac) values ($1, $2, 'old', 'live', $3, $4, $5)`,
    [accountId, randomUUIDv7(), keyPrefix, issuer.pepper.id, apiKeyHmac(issuer.pepper.key, key)],
  );
  const verdict = await identifyApiKey(database.db, peppers, key);
  expect(verdict).toMatchObject({ kind: "valid", key: { accountId, scopes: ["send"], domain: null } });
});

test("the older release finds the newest secret of a key, also after a roll and after another pepper", async () => {
  const { id, key } = await aKey({});
  expect(await foundByOlderRelease(key)).toEqual([{ id }]);
  const rolled = await rollApiKey(database.db.forAccount(await accountOf(id)), issuer, { id, overlapSeconds: 60 });
  expect([await foundByOlderRelease(key), await foundByOlderRelease(rolled.key)]).toEqual([[], [{ id }]]);

  const next = aConfig({ API_KEY_PEPPER: aSecret("next") }).secrets.apiKeyPepper.current;
  const pair = { current: next, second: issuer.pepper };
  for (const secret of [key, rolled.key]) expect((await identifyApiKey(database.db, pair, secret)).kind).toBe("valid");
  expect(await foundByOlderRelease(rolled.key, next)).toEqual([{ id }]);
});

test("a key that the older release re-hashes is still known", async () => {
  const { id, key } = await aKey({});
  const next = aConfig({ API_KEY_PEPPER: aSecret("after") }).secrets.apiKeyPepper.current;
  const repepper = "update api_keys set pepper_id = $2, secret_hmac = $3 where id = $1";
  await change(database.db, repepper, [id, next.id, apiKeyHmac(next.key, key)]);
  expect((await identifyApiKey(database.db, { current: next, second: undefined }, key)).kind).toBe("valid");
});

test.for([{ scopes: ["read"] as const }, { domain: "shop.example" }])(
  "the older release, which would let it send anything, does not find the key %j, also after a roll",
  async (options) => {
    const { id, key } = await aKey(options);
    expect((await identifyApiKey(database.db, peppers, key)).kind).toBe("valid");
    expect(await foundByOlderRelease(key)).toEqual([]);
    const rolled = await rollApiKey(database.db.forAccount(await accountOf(id)), issuer, { id, overlapSeconds: 0 });
    expect((await identifyApiKey(database.db, peppers, rolled.key)).kind).toBe("valid");
    expect(await foundByOlderRelease(rolled.key)).toEqual([]);
  },
);

async function aKey(options: { scopes?: readonly ["read"]; domain?: string }) {
  const { scopes, ...rest } = options;
  const accountId = await anAccount(database.db, { name: randomBytes(4).toString("hex") });
  return anApiKey(database.db, issuer, accountId, { ...rest, ...(scopes && { scopes: [...scopes] }) });
}

async function accountOf(id: string): Promise<string> {
  const [row] = await change(database.db, "select account_id from api_keys where id = $1", [id]);
  return String(row?.account_id);
}

function foundByOlderRelease(key: string, pepper = issuer.pepper) {
  return change(database.db, statementOfOlderRelease, [apiKeyHmac(pepper.key, key)]);
}
