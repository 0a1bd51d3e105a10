import { expect, test } from "vitest";
import { encodeMailbox } from "./encode-address.ts";

const address = "a@shop.test";

test.for([
  ["no name", undefined, "a@shop.test"],
  ["a plain name", "Shop Orders", "Shop Orders <a@shop.test>"],
  ["an apostrophe", "O'Neill", "O'Neill <a@shop.test>"],
  ["a dot", "Dr. Jane", '"Dr. Jane" <a@shop.test>'],
  ["a comma", "Shop, Inc.", '"Shop, Inc." <a@shop.test>'],
  ["quotes and a backslash", 'The "Shop" \\', '"The \\"Shop\\" \\\\" <a@shop.test>'],
  ["an at sign", "a@other.test", '"a@other.test" <a@shop.test>'],
  ["brackets", "x> <b@evil.test", '"x> <b@evil.test" <a@shop.test>'],
  ["two spaces", "Shop  Orders", '"Shop  Orders" <a@shop.test>'],
  ["letters beyond ASCII", "Müller, Jörg", "=?UTF-8?B?TcO8bGxlciwgSsO2cmc=?= <a@shop.test>"],
] as const)("a name is encoded so that mail clients show exactly that name: %s", ([, name, encoded]) => {
  expect(encodeMailbox({ name, address })).toBe(encoded);
});

test.for(["=?UTF-8?B?w7w=?=", "=?utf-8?q?x=0d=0aBcc:_b@evil.test?="])(
  "a name that looks like encoded words is encoded as text: %s",
  (name) => {
    expect(encodeMailbox({ name, address })).toBe(`=?UTF-8?B?${Buffer.from(name).toString("base64")}?= <a@shop.test>`);
  },
);

const long = ["ü".repeat(100), "日本語の名前".repeat(10), "👩👩👧👦".repeat(12), `a${"é".repeat(60)}`];

test.for(long)("a long name becomes words of at most 75 characters that decode separately: %s", (name) => {
  const words = encodeMailbox({ name, address })
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
