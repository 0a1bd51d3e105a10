import { expect, test } from "vitest";
import { aConfig } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { isPassword } from "../accounts/password.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import { listApiKeys, revokeApiKey } from "../api-keys/api-key-store.ts";
import { identifyApiKey } from "../api-keys/identify-api-key.ts";
import { seedAccount, seededEmail } from "./seed-account.ts";
import type { DevSettings } from "./state-folder.ts";

const database = useTestDatabase();
const peppers = aConfig().secrets.apiKeyPepper;
const issuer = { pepper: peppers.current, cellCode: "AA" };

test("seeding creates an account whose password and keys work, and seeding again changes nothing", async () => {
  const settings = noSettings();
  const first = await seed(settings);
  expect(settings).toMatchObject({ password: first.password, testKey: first.testKey, liveKey: first.liveKey });
  expect(await works(first.password)).toBe(true);
  expect(await identifyApiKey(database.db, peppers, first.testKey)).toMatchObject({
    kind: "valid",
    key: { type: "test" },
  });
  expect(await identifyApiKey(database.db, peppers, first.liveKey)).toMatchObject({
    kind: "valid",
    key: { type: "live" },
  });
  expect(await seed(settings)).toEqual(first);
});

test("a start that crashed before it saved the password and the keys is repaired by the next start", async () => {
  const lost = await seed(noSettings());
  const found = await seed(noSettings());
  expect(found.accountId).toBe(lost.accountId);
  expect(await works(found.password)).toBe(true);
  expect(await identifyApiKey(database.db, peppers, found.testKey)).toMatchObject({ kind: "valid" });
});

test("a revoked key is replaced, and the other key is kept", async () => {
  const settings = noSettings();
  const first = await seed(settings);
  const verdict = await identifyApiKey(database.db, peppers, first.testKey);
  if (verdict.kind !== "valid") expect.fail("the seeded key is not valid");
  await revokeApiKey(database.db.forAccount(first.accountId), verdict.key.id);
  const second = await seed(settings);
  expect(second.testKey).not.toBe(first.testKey);
  expect(second.liveKey).toBe(first.liveKey);
  expect(settings.testKey).toBe(second.testKey);
  expect((await listApiKeys(database.db.forAccount(first.accountId))).length).toBeGreaterThanOrEqual(2);
});

function seed(settings: DevSettings) {
  return seedAccount(database.db, issuer, settings, (created) => void Object.assign(settings, created));
}

function noSettings(): DevSettings {
  return { databasePassword: "unused", secrets: {} };
}

async function works(password: string): Promise<boolean> {
  const user = await findUserByEmail(database.db, seededEmail);
  return isPassword(password, user?.passwordHash ?? "");
}
