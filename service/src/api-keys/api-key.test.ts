import { createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { apiKeyHmac, generateApiKey, isIntactApiKey } from "./api-key.ts";

test("a key is prefix, type, cell code, 32 random bytes and a checksum", () => {
  const { key, keyPrefix } = generateApiKey("test", "Z9");
  expect(key).toMatch(/^postern_test_Z9[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/);
  expect(keyPrefix).toBe(`${key.slice(0, 19)}...`);
  expect(isIntactApiKey(key)).toBe(true);
});

test("ten thousand generated keys are all intact and all different", () => {
  const keys = Array.from({ length: 10_000 }, () => generateApiKey("live", "AA").key);
  expect(keys.every(isIntactApiKey)).toBe(true);
  expect(new Set(keys).size).toBe(keys.length);
});

test("a key whose secret contains underscores is recognized as intact", () => {
  const keys = Array.from({ length: 200 }, () => generateApiKey("live", "__").key);
  expect(keys.some((key) => key.split("_").length > 5)).toBe(true);
  expect(keys.every(isIntactApiKey)).toBe(true);
});

test("a checksum in another encoding of the same bits is refused", () => {
  // The last character has four unused bits; only the encoding that leaves them zero is valid.
  const { key } = generateApiKey("live", "AA");
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
  expect(letters.filter((letter) => isIntactApiKey(key.slice(0, -1) + letter))).toEqual([key.at(-1)]);
});

test("the stored hash depends on the pepper", () => {
  const { key } = generateApiKey("live", "AA");
  const [one, other] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))];
  expect(apiKeyHmac(one, key)).toEqual(apiKeyHmac(one, key));
  expect(apiKeyHmac(one, key)).not.toEqual(apiKeyHmac(other, key));
});
