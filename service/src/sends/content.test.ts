import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aSecret } from "../../test/test-config.ts";
import { secret } from "../secret.ts";
import { openContent, type SendContent, sealContent } from "./content.ts";

const [before, after] = [secret.parse(aSecret("before")), secret.parse(aSecret("after"))];
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

test("content opens as it was sealed, and no two seals of it are alike", () => {
  const sealed = sealContent(before, owner, content);
  expect(openContent({ current: before, second: undefined }, owner, sealed)).toEqual(content);
  expect(sealContent(before, owner, content).equals(sealed)).toBe(false);
});

test("content of another account or send cannot be opened", () => {
  const sealed = sealContent(before, owner, content);
  const keys = { current: before, second: undefined };
  expect(() => openContent(keys, { ...owner, accountId: randomUUIDv7() }, sealed)).toThrow();
  expect(() => openContent(keys, { ...owner, sendId: owner.sendId.replace(/.$/, "x") }, sealed)).toThrow();
});

test("content with any bit changed cannot be opened", () => {
  const sealed = sealContent(before, owner, content);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => openContent({ current: before, second: undefined }, owner, changed)).toThrow();
  }
});

test("content sealed with the second key is opened while the key is rotated, and refused by name afterwards", () => {
  const sealed = sealContent(before, owner, content);
  expect(openContent({ current: after, second: before }, owner, sealed)).toEqual(content);
  expect(() => openContent({ current: after, second: undefined }, owner, sealed)).toThrow(
    /"before", which is not configured/,
  );
});

test("thousands of seals never use an iv twice", () => {
  const ivs = Array.from({ length: 3000 }, () => sealContent(before, owner, content).toString("hex", 8, 20));
  expect(new Set(ivs).size).toBe(3000);
});
