import { expect, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { revokeApiKey } from "../api-keys/api-key-store.ts";
import { rollApiKey } from "../api-keys/roll-api-key.ts";
import { findSharedPrefixes, listMovedPrefixes, listSecretsWithoutPrefix, movedMapLines } from "./moved-keys.ts";

const database = useTestDatabase();
const issuer = { pepper: aConfig().secrets.apiKeyPepper.current, cellCode: "AA" };
const beginning = ({ key }: { key: string }) => key.slice(0, 19);

test("the prefixes of all secrets that work are listed, those of rolled keys too, in the form of moved.map", async () => {
  const accountId = await anAccount(database.db);
  const [live, testing] = [await aKey(accountId), await aKey(accountId, { type: "test" })];
  const rolled = await roll(accountId, live.id, 600);
  expect(await listMovedPrefixes(database.db, accountId)).toEqual([live, testing, rolled].map(beginning).toSorted());
  expect(await listSecretsWithoutPrefix(database.db, accountId)).toEqual([]);
  expect(movedMapLines([beginning(live)], "cell_AB")).toEqual([`${beginning(live)} cell_AB`]);
});

test("keys that were revoked, expired or replaced, and those of other accounts, are not listed", async () => {
  const accountId = await anAccount(database.db);
  const [revoked, expired, replaced] = [await aKey(accountId), await aKey(accountId), await aKey(accountId)];
  await aKey(await anAccount(database.db));
  await revokeApiKey(database.db.forAccount(accountId), revoked.id);
  await change(database.db, "update api_keys set expires_at = now() where id = $1", [expired.id]);
  const rolled = await roll(accountId, replaced.id, 0);
  expect(await listMovedPrefixes(database.db, accountId)).toEqual([beginning(rolled)]);
});

test("of secrets that older code made, the newest has the prefix of its key, and keeps it when it is rolled", async () => {
  const accountId = await anAccount(database.db);
  const first = await aKey(accountId);
  await change(database.db, "update api_key_secrets set key_prefix = null where id = $1", [first.id]);
  expect(await listMovedPrefixes(database.db, accountId)).toEqual([beginning(first)]);
  const second = await roll(accountId, first.id, 600);
  expect(await listMovedPrefixes(database.db, accountId)).toEqual([first, second].map(beginning).toSorted());
});

test("a secret that older code rolled is named until it ends: its prefix is unknown", async () => {
  const accountId = await anAccount(database.db);
  const first = await aKey(accountId);
  const second = await roll(accountId, first.id, 600);
  await change(database.db, "update api_key_secrets set key_prefix = null where id = $1", [first.id]);
  expect(await listMovedPrefixes(database.db, accountId)).toEqual([beginning(second)]);
  const endsAt = second.previousEndsAt;
  expect(await listSecretsWithoutPrefix(database.db, accountId)).toEqual([
    { keyId: first.id, keyName: "a key", endsAt },
  ]);
  await change(database.db, "update api_key_secrets set ends_at = now() where id = $1", [first.id]);
  expect(await listSecretsWithoutPrefix(database.db, accountId)).toEqual([]);
});

test("a prefix that a key of another account has too is found, also of an earlier secret of either", async () => {
  const [mine, theirs] = [await anAccount(database.db), await anAccount(database.db)];
  const [key, other] = [await aKey(mine), await aKey(theirs)];
  await aKey(mine);
  const share = (prefix: string) =>
    change(
      database.db,
      `with secret as (update api_key_secrets set key_prefix = $2 where id = $1)
       update api_keys set key_prefix = $2 where id = $1`,
      [other.id, prefix],
    );
  expect(await findSharedPrefixes(database.db, mine)).toEqual([]);
  await share(key.keyPrefix);
  const shared = [{ prefix: beginning(key), keyId: key.id, keyName: "a key" }];
  expect(await findSharedPrefixes(database.db, mine)).toEqual(shared);
  expect(await findSharedPrefixes(database.db, theirs)).toMatchObject([{ keyId: other.id }]);

  await roll(theirs, other.id, 600);
  await roll(mine, key.id, 600);
  expect(await findSharedPrefixes(database.db, mine)).toEqual(shared);
  await roll(mine, key.id, 0);
  expect(await findSharedPrefixes(database.db, mine)).toEqual([]);
});

function aKey(accountId: string, options = {}) {
  return anApiKey(database.db, issuer, accountId, options);
}

function roll(accountId: string, id: string, overlapSeconds: number) {
  return rollApiKey(database.db.forAccount(accountId), issuer, { id, overlapSeconds });
}
