import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig, aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Queryable } from "../db/database.ts";
import { secret } from "../secret.ts";
import { openSealedKey, storeSealedKey } from "../storage/sealed-key.ts";
import { adoptFingerprintKey, getFingerprintKey, openFingerprintKeys } from "./fingerprint-keys.ts";

const database = useTestDatabase();
const contentKeys = aConfig().secrets.contentKey;

const aKey = () => createSecretKey(randomBytes(32));

async function anAccountFromElsewhere(key: KeyObject, keys = contentKeys) {
  const accountId = await anAccount(database.db);
  const name = await adoptFingerprintKey(database.db, keys, key);
  await change(database.db, "update accounts set fingerprint_key = $2 where id = $1", [accountId, name]);
  return { accountId, name };
}

async function countedKeys() {
  let queries = 0;
  const query: Queryable["query"] = (statement) => {
    queries += 1;
    return database.db.query(statement);
  };
  const keys = await openFingerprintKeys({ query }, contentKeys);
  queries = 0;
  return { keys, queries: () => queries };
}

describe("the fingerprint key of an account", () => {
  test("is that of its cell, or the one with which it came", async () => {
    const theirs = aKey();
    const own = await openSealedKey(database.db, contentKeys, "fingerprint");
    const [home, moved] = [await anAccount(database.db), await anAccountFromElsewhere(theirs)];
    const keys = await openFingerprintKeys(database.db, contentKeys);
    expect((await keys.of(home)).equals(own)).toBe(true);
    expect((await keys.of(moved.accountId)).equals(theirs)).toBe(true);
    // What the next cell gets.
    expect((await getFingerprintKey(database.db, contentKeys, moved.accountId)).equals(theirs)).toBe(true);
    expect((await getFingerprintKey(database.db, contentKeys, home)).equals(own)).toBe(true);
  });

  test("is read once for requests that come together, and a known one is there at once", async () => {
    const accountId = await anAccount(database.db);
    const others = await Promise.all(Array.from({ length: 40 }, () => anAccount(database.db)));
    const { keys, queries } = await countedKeys();
    await Promise.all([...Array.from({ length: 40 }, () => accountId), ...others].map(async (id) => keys.of(id)));
    expect(queries()).toBeLessThanOrEqual(2);
    const read = queries();
    expect(keys.of(accountId)).not.toBeInstanceOf(Promise);
    expect(queries()).toBe(read);
  });

  test("is not remembered for an account that is not here yet", async () => {
    const [theirs, accountId] = [aKey(), crypto.randomUUID()];
    const keys = await openFingerprintKeys(database.db, contentKeys);
    await keys.of(accountId);
    const name = await adoptFingerprintKey(database.db, contentKeys, theirs);
    await change(database.db, "insert into accounts (id, name, fingerprint_key) values ($1, 'Came', $2)", [
      accountId,
      name,
    ]);
    expect((await keys.of(accountId)).equals(theirs)).toBe(true);
  });

  test("refuses the requests of its account alone while its row is missing", async () => {
    const [theirs, home] = [aKey(), await anAccount(database.db)];
    const { accountId, name } = await anAccountFromElsewhere(theirs);
    await change(database.db, "delete from sealed_keys where name = $1", [name]);
    const keys = await openFingerprintKeys(database.db, contentKeys);
    await expect(keys.of(accountId)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      retryAfterSeconds: 10,
      cause: expect.objectContaining({ message: `sealed_keys has no row ${name}` }),
    });
    await keys.of(home);
    await adoptFingerprintKey(database.db, contentKeys, theirs);
    expect((await keys.of(accountId)).equals(theirs)).toBe(true);
  });
});

describe("a rotation of CONTENT_KEY", () => {
  test("seals the keys of other cells again when a process starts", async () => {
    const theirs = aKey();
    const { accountId } = await anAccountFromElsewhere(theirs);
    const next = secret.parse(aSecret("next"));
    await openFingerprintKeys(database.db, { current: next, second: contentKeys.current });
    const dropped = await openFingerprintKeys(database.db, { current: next, second: undefined });
    expect((await dropped.of(accountId)).equals(theirs)).toBe(true);
    // Back, for the other tests.
    await openFingerprintKeys(database.db, { current: contentKeys.current, second: next });
  });

  test("that has lost the content key of one of them refuses the requests of its accounts alone", async () => {
    const accountId = await anAccount(database.db);
    const lost = { current: secret.parse(aSecret("lost")), second: undefined };
    await storeSealedKey(database.db, lost, "fingerprint/0badcafe", aKey());
    await change(database.db, "update accounts set fingerprint_key = 'fingerprint/0badcafe' where id = $1", [
      accountId,
    ]);
    const keys = await openFingerprintKeys(database.db, contentKeys);
    await expect(keys.of(accountId)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await keys.of(await anAccount(database.db));
  });
});

describe("a key that comes with an account", () => {
  test("gets the same name each time, and none when the account returns", async () => {
    const theirs = aKey();
    const name = await adoptFingerprintKey(database.db, contentKeys, theirs);
    expect(name).toMatch(/^fingerprint\/[0-9a-f]{8}$/);
    expect(await adoptFingerprintKey(database.db, contentKeys, theirs)).toBe(name);
    const own = await openSealedKey(database.db, contentKeys, "fingerprint");
    expect(await adoptFingerprintKey(database.db, contentKeys, own)).toBeNull();
  });

  test("never takes the place of another one", async () => {
    await storeSealedKey(database.db, contentKeys, "fingerprint/00000000", aKey());
    await expect(storeSealedKey(database.db, contentKeys, "fingerprint/00000000", aKey())).rejects.toThrow(
      "another key is stored as fingerprint/00000000",
    );
  });
});
