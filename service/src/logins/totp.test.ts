import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aSecret } from "../../test/test-config.ts";
import { secret as secretSetting } from "../secret.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-code.ts";
import { enrolmentOf, newTotpSecret, openTotpSecret, sealTotpSecret, stepOfCode } from "./totp.ts";

/** RFC 6238, appendix B, shortened to six digits. */
const rfcSecret = Buffer.from("12345678901234567890");

test.for([
  [59, "287082"],
  [1111111109, "081804"],
  [1234567890, "005924"],
  [20000000000, "353130"],
] as const)("the code at second %i is that of RFC 6238", ([now, code]) => {
  expect(stepOfCode(rfcSecret, code, now)).toBe(Math.floor(now / 30));
});

test("a code is accepted one step before and after its own, and belongs to its own step", () => {
  const step = 1234567890 / 30;
  expect([-30, 0, 30].map((shift) => stepOfCode(rfcSecret, "005924", 1234567890 + shift))).toEqual([step, step, step]);
  expect([-60, 60].map((shift) => stepOfCode(rfcSecret, "005924", 1234567890 + shift))).toEqual([undefined, undefined]);
});

test("the enrolment names Postern, the email and the secret", () => {
  const { secret, uri } = enrolmentOf(rfcSecret, "ada@example.com");
  expect(secret).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  expect(decodeURIComponent(uri)).toMatch(/^otpauth:\/\/totp\/Postern:ada@example\.com\?issuer=Postern&secret=GEZD/);
});

test("a sealed secret opens for its user only", () => {
  const key = secretSetting.parse(aSecret("totp"));
  const [user, other, secret] = [randomUUIDv7(), randomUUIDv7(), newTotpSecret()];
  const sealed = sealTotpSecret(key, user, secret);
  expect(openTotpSecret(key, user, sealed).equals(secret)).toBe(true);
  expect(() => openTotpSecret(key, other, sealed)).toThrow();
});

test("ten recovery codes differ, and case, spaces and hyphens do not matter", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  const [code = ""] = codes;
  expect(code).toMatch(/^([0-9a-f]{5}-){3}[0-9a-f]{5}$/);
  expect(hashRecoveryCode(` ${code.toUpperCase().replaceAll("-", " ")}`).equals(hashRecoveryCode(code))).toBe(true);
});
