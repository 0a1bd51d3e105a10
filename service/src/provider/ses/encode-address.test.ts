import { expect, test } from "vitest";
import { encodeAddress } from "./encode-address.ts";

const kept = [
  ["an address alone", "a@shop.test", "a@shop.test"],
  ["spaces around it", "  a@shop.test ", "a@shop.test"],
  ["a plain name", "Shop Orders <a@shop.test>", "Shop Orders <a@shop.test>"],
  ["brackets without a name", "<a@shop.test>", "a@shop.test"],
  ["a plain name in quotes", '"Shop" <a@shop.test>', "Shop <a@shop.test>"],
  ["a comma", "Shop, Inc. <a@shop.test>", '"Shop, Inc." <a@shop.test>'],
  ["quotes within", '"The \\"Shop\\"" <a@shop.test>', '"The \\"Shop\\"" <a@shop.test>'],
  ["an at sign", "a@other.test <a@shop.test>", '"a@other.test" <a@shop.test>'],
  ["words that are encoded already", "=?UTF-8?B?w7w=?= <a@shop.test>", "=?UTF-8?B?w7w=?= <a@shop.test>"],
  ["a local part beyond ASCII, which SES refuses itself", "ü@shop.test", "ü@shop.test"],
  ["a domain beyond ASCII", "a@exämple.test", "a@xn--exmple-cua.test"],
] as const;

test.for(kept)("%s", ([, given, encoded]) => {
  expect(encodeAddress(given)).toBe(encoded);
});

test("a name beyond ASCII becomes an encoded word", () => {
  expect(encodeAddress("Müller <a@shop.test>")).toBe("=?UTF-8?B?TcO8bGxlcg==?= <a@shop.test>");
  expect(encodeAddress('"Müller, Jörg" <a@shop.test>')).toBe("=?UTF-8?B?TcO8bGxlciwgSsO2cmc=?= <a@shop.test>");
});

const long = ["ü".repeat(100), "日本語の名前".repeat(10), "👩‍👩‍👧‍👦".repeat(12), `a${"é".repeat(60)}`];

test.for(long)("a long name becomes words of at most 75 characters that each decode by themselves: %s", (name) => {
  const words = encodeAddress(`${name} <a@shop.test>`)
    .replace(/ <a@shop\.test>$/, "")
    .split(" ");
  expect(words.length).toBeGreaterThan(1);
  expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(75);
  const strict = new TextDecoder("utf-8", { fatal: true });
  const decoded = words.map((word) =>
    strict.decode(Buffer.from(/^=\?UTF-8\?B\?(.+)\?=$/.exec(word)?.[1] ?? "", "base64")),
  );
  expect(decoded.join("")).toBe(name);
});

test.for(["Shop\r\nBcc: all@example.test", "Shop\nBcc: all@example.test", "Shöp\r\nBcc: all@example.test"])(
  "a line break in a name starts no header: %j",
  (name) => {
    const encoded = encodeAddress(`${name} <a@shop.test>`);
    expect(encoded).not.toMatch(/[\r\n]/);
    const text = Buffer.from(/=\?UTF-8\?B\?(.+)\?=/.exec(encoded)?.[1] ?? "", "base64").toString();
    expect(text).not.toMatch(/[\r\n]/);
  },
);
