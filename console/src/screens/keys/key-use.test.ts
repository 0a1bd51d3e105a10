import { expect, test } from "vitest";
import { keySnippets } from "./key-snippets.ts";
import { keyUseText } from "./key-use-text.ts";

const now = Date.parse("2026-11-17T12:00:00Z");

test("a dialog that ends a secret says how much it is used", () => {
  expect(keyUseText("2026-11-17T11:57:00Z", 1240, now)).toMatch(/^Used 3\smin ago, 1,240 sends today\.$/);
  expect(keyUseText("2026-11-17T11:57:00Z", 1, now)).toContain("1 send today");
  expect(keyUseText(null, undefined, now)).toBe("This key was never used.");
});

test("the snippet of a test key works before a domain is verified", () => {
  const [curl] = keySnippets({
    url: "https://mail.example.com",
    key: "postern_test_x",
    type: "test",
    domain: undefined,
  });
  expect(curl?.code).toContain('"from":"hello@sandbox.test","to":["delivered@sandbox.test"]');
});

test("the snippet of a live key sends from a verified domain", () => {
  const [curl] = keySnippets({ url: "https://mail.example.com", key: "k", type: "live", domain: "shop.example" });
  expect(curl?.code).toContain("hello@shop.example");
});
