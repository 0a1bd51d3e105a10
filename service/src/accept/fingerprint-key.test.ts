import { expect, test } from "vitest";
import { aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { secret } from "../secret.ts";
import { openFingerprintKey } from "./fingerprint-key.ts";

const database = useTestDatabase();
const [first, second] = [secret.parse(aSecret("first")), secret.parse(aSecret("second"))];

test("eight processes that start together create one key, and a rotation of the content key does not change it", async () => {
  const keys = { current: first, second: undefined };
  const opened = await Promise.all(Array.from({ length: 8 }, () => openFingerprintKey(database.db, keys)));
  const [one] = opened;
  if (one === undefined) throw new Error("no key was opened");
  expect(opened.every((each) => each.equals(one))).toBe(true);
  const swapped = await openFingerprintKey(database.db, { current: second, second: first });
  const dropped = await openFingerprintKey(database.db, { current: second, second: undefined });
  expect(swapped.equals(one) && dropped.equals(one)).toBe(true);
  await expect(openFingerprintKey(database.db, keys)).rejects.toThrow(/content key "second"/);
});
