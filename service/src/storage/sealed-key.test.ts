import { expect, test } from "vitest";
import { aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { secret } from "../secret.ts";
import { openSealedKey } from "./sealed-key.ts";

const database = useTestDatabase();
const [first, second] = [secret.parse(aSecret("first")), secret.parse(aSecret("second"))];

test("eight processes that start together create one key, and a rotation of the content key does not change it", async () => {
  const keys = { current: first, second: undefined };
  const opened = await Promise.all(Array.from({ length: 8 }, () => openSealedKey(database.db, keys, "totp")));
  const [one] = opened;
  if (one === undefined) throw new Error("no key was opened");
  expect(opened.every((each) => each.equals(one))).toBe(true);
  const swapped = await openSealedKey(database.db, { current: second, second: first }, "totp");
  const dropped = await openSealedKey(database.db, { current: second, second: undefined }, "totp");
  expect(swapped.equals(one) && dropped.equals(one)).toBe(true);
  await expect(openSealedKey(database.db, keys, "totp")).rejects.toThrow(/content key "second"/);
});

test("keys of different names differ", async () => {
  const keys = { current: second, second: undefined };
  const [one, other] = [
    await openSealedKey(database.db, keys, "totp"),
    await openSealedKey(database.db, keys, "fingerprint"),
  ];
  expect(one.equals(other)).toBe(false);
});
