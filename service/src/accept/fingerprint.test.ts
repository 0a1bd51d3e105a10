import { createSecretKey, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aSecret } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { secret } from "../secret.ts";
import { type GivenPayload, payloadFields } from "../sends/send-request.ts";
import { differingFields, fingerprintOf, idempotencyHash } from "./fingerprint.ts";
import { openFingerprintKey } from "./fingerprint-key.ts";

const key = createSecretKey(randomBytes(32));
const text = fc.string({ unit: "grapheme", maxLength: 8 });
const list = fc.option(fc.array(text, { maxLength: 3 }), { nil: undefined });
const optional = fc.option(text, { nil: undefined });
const payload: fc.Arbitrary<GivenPayload> = fc.record({
  from: text,
  to: fc.array(text, { minLength: 1, maxLength: 3 }),
  subject: text,
  html: optional,
  text: optional,
  cc: list,
  bcc: list,
  reply_to: optional,
});

/** The rule written down once more, in another way. */
function same(one: GivenPayload[keyof GivenPayload], other: GivenPayload[keyof GivenPayload]): boolean {
  const empty = (value: typeof one) => value === undefined || (Array.isArray(value) && value.length === 0);
  return empty(one) || empty(other) ? empty(one) && empty(other) : JSON.stringify(one) === JSON.stringify(other);
}

describe("a fingerprint", () => {
  test("differs exactly in the fields in which two payloads differ", () => {
    fc.assert(
      fc.property(payload, payload, fc.subarray([...payloadFields]), (one, other, taken) => {
        const mixed = { ...one, ...Object.fromEntries(taken.map((field) => [field, other[field]])) };
        const expected = payloadFields.filter((field) => !same(one[field], mixed[field]));
        expect(differingFields(fingerprintOf(key, one), fingerprintOf(key, mixed))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test("of the same payload under another key is another one, so that it tells nobody what was sent", () => {
    const given: GivenPayload = {
      from: "a",
      to: ["b"],
      subject: "c",
      html: "d",
      text: "e",
      cc: ["f"],
      bcc: ["g"],
      reply_to: "h",
    };
    const other = createSecretKey(randomBytes(32));
    expect(differingFields(fingerprintOf(key, given), fingerprintOf(other, given))).toEqual([...payloadFields]);
  });
});

test("the hash of a key differs by account, mode and key", () => {
  const hashes = ["a/live/k", "b/live/k", "a/test/k", "a/live/K"].map((given) => {
    const [account = "", mode, name = ""] = given.split("/");
    return idempotencyHash(key, account, mode === "live" ? "live" : "test", name).toString("hex");
  });
  expect(new Set(hashes).size).toBe(4);
});

describe("the key of fingerprints", () => {
  const database = useTestDatabase();
  const [first, second] = [secret.parse(aSecret("first")), secret.parse(aSecret("second"))];

  test("is made once, also by eight processes at once, and stays the same when the content key is rotated", async () => {
    const keys = { current: first, second: undefined };
    const made = await Promise.all(Array.from({ length: 8 }, () => openFingerprintKey(database.db, keys)));
    const [one] = made;
    if (one === undefined) throw new Error("none was made");
    expect(made.every((each) => each.equals(one))).toBe(true);
    const swapped = await openFingerprintKey(database.db, { current: second, second: first });
    const dropped = await openFingerprintKey(database.db, { current: second, second: undefined });
    expect(swapped.equals(one) && dropped.equals(one)).toBe(true);
    await expect(openFingerprintKey(database.db, keys)).rejects.toThrow(/content key "second"/);
  });
});
