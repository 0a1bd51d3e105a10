import { expect, test } from "vitest";
import { aLogin, anAccount, anApiKey } from "../../../test/builders.ts";
import { aConfig } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { apiKeyHmac } from "../../api-keys/api-key.ts";
import { revokeApiKey } from "../../api-keys/api-key-store.ts";
import type { Queryable } from "../../db/database.ts";
import { createCredentialDeps } from "../../processes/api-deps.ts";
import { createCredentialLookup } from "./credential-lookup.ts";

const database = useTestDatabase();
const config = aConfig();
const { loginDeps, apiKeyIssuer } = createCredentialDeps(config);
const farAhead = Date.now() / 1000 + 3600;

function countedLookup() {
  let queries = 0;
  const query: Queryable["query"] = (statement) => {
    queries += 1;
    return database.db.query(statement);
  };
  return { lookup: createCredentialLookup({ query }), queries: () => queries };
}

async function aKey() {
  const accountId = await anAccount(database.db);
  const { id, key } = await anApiKey(database.db, apiKeyIssuer, accountId);
  return { accountId, id, hmac: apiKeyHmac(config.secrets.apiKeyPepper.current.key, key) };
}

test("keys that arrive together are found by two queries at most, each its own and unknown ones as unknown", async () => {
  const { lookup, queries } = countedLookup();
  const [one, other] = [await aKey(), await aKey()];
  const unknown = Buffer.alloc(32, 7);
  const wanted = Array.from({ length: 40 }, () => [[one.hmac], [unknown, other.hmac], [unknown]]).flat();
  const found = await Promise.all(wanted.map((hmacs) => lookup.findKey(hmacs)));
  const expected = Array.from({ length: 40 }, () => [one.accountId, other.accountId, undefined]).flat();
  expect(found.map((key) => key?.accountId)).toEqual(expected);
  expect(queries()).toBeLessThanOrEqual(2);
});

test("a key that was revoked before the request is refused, although others share its query", async () => {
  const { lookup } = countedLookup();
  const [revoked, valid] = [await aKey(), await aKey()];
  await revokeApiKey(database.db.forAccount(revoked.accountId), revoked.id);
  const found = await Promise.all([revoked, valid].map(({ hmac }) => lookup.findKey([hmac])));
  expect(found.map((key) => key?.refusal)).toEqual(["revoked", null]);
});

test("logins that arrive together are found by two queries at most, and none outside the lifetime of its token", async () => {
  const { lookup, queries } = countedLookup();
  const [one, other] = [await aLogin(database.db, loginDeps), await aLogin(database.db, loginDeps)];
  const tokens = [
    { loginId: one.loginId, notBefore: 0, expiresAt: farAhead },
    { loginId: other.loginId, notBefore: 0, expiresAt: farAhead },
    { loginId: one.loginId, notBefore: 0, expiresAt: 1 },
    { loginId: one.loginId, notBefore: farAhead, expiresAt: farAhead },
    { loginId: "00000000-0000-7000-8000-000000000000", notBefore: 0, expiresAt: farAhead },
  ].map((token) => ({ ...token, needsOperator: false }));
  const found = await Promise.all(tokens.map((token) => lookup.findLogin(token)));
  expect(found.map((login) => login?.userId)).toEqual([one.id, other.id, undefined, undefined, undefined]);
  expect(queries()).toBeLessThanOrEqual(2);
});
