import { expect, test } from "vitest";
import { generatePassword, hashPassword, isPassword } from "./password.ts";

test("only the exact password matches its hash", async () => {
  const hash = await hashPassword("correct horse");
  expect(await isPassword("correct horse", hash)).toBe(true);
  for (const wrong of ["correct horsf", "Correct horse", "correct horse ", ""]) {
    expect(await isPassword(wrong, hash)).toBe(false);
  }
});

test("hashing a password twice gives two different hashes", async () => {
  expect(await hashPassword("twice")).not.toBe(await hashPassword("twice"));
});

test("a password in another Unicode normalization form matches", async () => {
  expect(await isPassword("cafe\u0301", await hashPassword("caf\u00e9"))).toBe(true);
});

test("a hash made with other cost parameters still matches, so the parameters can be raised", async () => {
  // From argon2's reference implementation: password "password", salt "somesalt", m=65536, t=2, p=1.
  const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  expect(await isPassword("password", hash)).toBe(true);
  expect(await isPassword("passwore", hash)).toBe(false);
});

test("a stored value that is not a hash throws and never matches", async () => {
  await expect(isPassword("x", "")).rejects.toThrow("argon2id");
});

test("generated passwords carry 120 random bits in five groups", () => {
  const passwords = Array.from({ length: 1000 }, generatePassword);
  expect(passwords.every((password) => /^([0-9a-f]{6}-){4}[0-9a-f]{6}$/.test(password))).toBe(true);
  expect(new Set(passwords).size).toBe(1000);
});
