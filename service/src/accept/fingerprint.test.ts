import { createSecretKey, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GivenPayload, payloadFields } from "../sends/send-request.ts";
import { differingFields, fingerprintOf, idempotencyHash, payloadHashOf } from "./fingerprint.ts";

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
  headers: optional,
  tags: list,
  metadata: optional,
  attachments: optional,
  expires_at: optional,
  ttl_seconds: optional,
  scheduled_at: optional,
});

/** The same rule in another form, to compare with. */
function isSame(one: GivenPayload[keyof GivenPayload], other: GivenPayload[keyof GivenPayload]): boolean {
  const isEmpty = (value: typeof one) => value === undefined || (Array.isArray(value) && value.length === 0);
  return isEmpty(one) || isEmpty(other)
    ? isEmpty(one) && isEmpty(other)
    : JSON.stringify(one) === JSON.stringify(other);
}

describe("a fingerprint", () => {
  test("differs exactly in the fields in which two payloads differ", () => {
    fc.assert(
      fc.property(payload, payload, fc.subarray([...payloadFields]), (one, other, taken) => {
        const mixed = { ...one, ...Object.fromEntries(taken.map((field) => [field, other[field]])) };
        const expected = payloadFields.filter((field) => !isSame(one[field], mixed[field]));
        expect(differingFields(fingerprintOf(key, one), fingerprintOf(key, mixed))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test("of the same payload under another key differs in every field, so that it reveals nothing about the payload", () => {
    const given: GivenPayload = {
      from: "a",
      to: ["b"],
      subject: "c",
      html: "d",
      text: "e",
      cc: ["f"],
      bcc: ["g"],
      reply_to: "h",
      headers: "i",
      tags: ["j"],
      metadata: "k",
      attachments: "l",
      expires_at: "m",
      ttl_seconds: "n",
      scheduled_at: "o",
    };
    const other = createSecretKey(randomBytes(32));
    expect(differingFields(fingerprintOf(key, given), fingerprintOf(other, given))).toEqual([...payloadFields]);
  });
});

test("a payload without added fields has the fingerprint of the first release, and equals one with them empty", () => {
  const given: GivenPayload = {
    from: "a",
    to: ["b"],
    subject: "c",
    html: undefined,
    text: "e",
    cc: undefined,
    bcc: undefined,
    reply_to: undefined,
  };
  const fingerprint = fingerprintOf(key, given);
  expect(fingerprint).toHaveLength(64);
  expect(fingerprintOf(key, { ...given, tags: [], headers: undefined })).toEqual(fingerprint);
  expect(differingFields(fingerprint, fingerprintOf(key, { ...given, metadata: "x" }))).toEqual(["metadata"]);
});

test("the hash of an idempotency key differs by account, mode and key", () => {
  const hashes = ["a/live/k", "b/live/k", "a/test/k", "a/live/K"].map((given) => {
    const [account = "", mode, name = ""] = given.split("/");
    return idempotencyHash(key, account, mode === "live" ? "live" : "test", name).toString("hex");
  });
  expect(new Set(hashes).size).toBe(4);
});

test("stored fingerprints and hashes are the same in every release, because idempotency keys never expire", () => {
  const known = createSecretKey(Buffer.alloc(32, 7));
  const absent = { html: undefined, cc: undefined, bcc: undefined, reply_to: undefined };
  const given = {
    from: "Shop <a@shop.test>",
    to: ["Jane@example.com"],
    subject: "Grüße",
    text: "hi",
    tags: ["a"],
    ...absent,
  };
  const fingerprint = fingerprintOf(known, given);
  expect(fingerprint.subarray(0, 24).toString("hex")).toBe("4b150ca391c490a700464e96a23c920386670cc84bb1e368");
  expect(fingerprint).toHaveLength(80);
  expect(payloadHashOf(known, fingerprint).toString("hex")).toBe("784a5d95d8a9fc4c");
  expect(idempotencyHash(known, "acc", "live", "k").toString("hex")).toBe("5ebaecb415d937636377d16f8b319b8a");
});
