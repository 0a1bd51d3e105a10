import { expect, test } from "vitest";
import { tracedIn } from "./traces.ts";

const text = "canary-0f1e2d3c4b5a";
const around = (inner: Buffer, before: number) => Buffer.concat([Buffer.alloc(before, "x"), inner, Buffer.from("yz")]);

test.for([
  ["as it is", (before: number) => around(Buffer.from(text), before)],
  ["in UTF-16", (before: number) => around(Buffer.from(text, "utf16le"), before)],
  ["in UTF-16, the other way round", (before: number) => around(Buffer.from(text, "utf16le").swap16(), before)],
  ["in hexadecimal", (before: number) => around(Buffer.from(Buffer.from(text).toString("hex")), before)],
  ["within base64", (before: number) => Buffer.from(around(Buffer.from(text), before).toString("base64"))],
  ["within base64url", (before: number) => Buffer.from(around(Buffer.from(text), before).toString("base64url"))],
  [
    "in UTF-16 within base64",
    (before: number) => Buffer.from(around(Buffer.from(text, "utf16le"), before).toString("base64")),
  ],
] as const)("a text is found %s, wherever it begins", ([, written]) => {
  for (const before of [0, 1, 2, 3, 4, 5]) expect(tracedIn(written(before), [text, "another"])).toEqual([text]);
});

test("nothing is found where it was not written", () => {
  expect(tracedIn(Buffer.from("canary-0f1e2d3c4b5 and Y2FuYXJ5LTBmMWUyZDNj"), [text])).toEqual([]);
});
