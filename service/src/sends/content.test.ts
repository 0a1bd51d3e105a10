import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aSecret } from "../../test/test-config.ts";
import { secret } from "../secret.ts";
import { openContent, type SendContent, sealContent } from "./content.ts";

const [oldKey, newKey] = [secret.parse(aSecret("old")), secret.parse(aSecret("new"))];
const owner = { accountId: randomUUIDv7(), sendId: randomUUIDv7() };
const content: SendContent = {
  from: { name: "Jane", address: "jane@shop.io" },
  to: ["a@x.io"],
  cc: [],
  bcc: ["b@x.io"],
  replyTo: undefined,
  subject: "Grüße 😀",
  html: "<p>line\r\nbreak</p>",
  text: undefined,
};

test("opened content equals the sealed content, and two seals of the same content differ", () => {
  const sealed = sealContent(oldKey, owner, content);
  expect(openContent({ current: oldKey, second: undefined }, owner, sealed)).toEqual(content);
  expect(sealContent(oldKey, owner, content).equals(sealed)).toBe(false);
});

test("content with headers has a format that earlier releases refuse, and content without them the first one", () => {
  const withHeaders = { ...content, headers: [{ name: "X-Order", value: "1001" }] };
  const sealed = sealContent(oldKey, owner, withHeaders);
  expect(openContent({ current: oldKey, second: undefined }, owner, sealed)).toEqual(withHeaders);
  expect([sealContent(oldKey, owner, content)[0], sealed[0]]).toEqual([1, 2]);
});

test("content of another account or send cannot be opened", () => {
  const sealed = sealContent(oldKey, owner, content);
  const keys = { current: oldKey, second: undefined };
  expect(() => openContent(keys, { ...owner, accountId: randomUUIDv7() }, sealed)).toThrow();
  expect(() => openContent(keys, { ...owner, sendId: owner.sendId.replace(/.$/, "x") }, sealed)).toThrow();
});

test("content with any bit changed cannot be opened", () => {
  const sealed = sealContent(oldKey, owner, content);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => openContent({ current: oldKey, second: undefined }, owner, changed)).toThrow();
  }
});

test("content sealed with the second key can be opened during a rotation; afterwards the error names the missing key", () => {
  const sealed = sealContent(oldKey, owner, content);
  expect(openContent({ current: newKey, second: oldKey }, owner, sealed)).toEqual(content);
  expect(() => openContent({ current: newKey, second: undefined }, owner, sealed)).toThrow(
    /"old", which is not configured/,
  );
});

test("3,000 seals never use an IV twice", () => {
  const ivs = Array.from({ length: 3000 }, () => sealContent(oldKey, owner, content).toString("hex", 8, 20));
  expect(new Set(ivs).size).toBe(3000);
});
