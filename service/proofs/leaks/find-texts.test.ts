import { expect, test } from "vitest";
import { findTexts } from "./find-texts.ts";

const text = "canary-0f1e2d3c4b5a";
const around = (inner: Buffer, before: number) => Buffer.concat([Buffer.alloc(before, "x"), inner, Buffer.from("yz")]);

test.for([
  ["as plain text", (before: number) => around(Buffer.from(text), before)],
  ["in UTF-16", (before: number) => around(Buffer.from(text, "utf16le"), before)],
  ["in UTF-16 with swapped bytes", (before: number) => around(Buffer.from(text, "utf16le").swap16(), before)],
  ["in hexadecimal", (before: number) => around(Buffer.from(Buffer.from(text).toString("hex")), before)],
  ["inside base64", (before: number) => Buffer.from(around(Buffer.from(text), before).toString("base64"))],
  ["inside base64url", (before: number) => Buffer.from(around(Buffer.from(text), before).toString("base64url"))],
  [
    "in UTF-16 inside base64",
    (before: number) => Buffer.from(around(Buffer.from(text, "utf16le"), before).toString("base64")),
  ],
] as const)("findTexts finds a text %s, at every byte offset", ([, written]) => {
  for (const before of [0, 1, 2, 3, 4, 5]) expect(findTexts(written(before), [text, "another"])).toEqual([text]);
});

test("findTexts finds no text that is only partly present", () => {
  expect(findTexts(Buffer.from("canary-0f1e2d3c4b5 and Y2FuYXJ5LTBmMWUyZDNj"), [text])).toEqual([]);
});
