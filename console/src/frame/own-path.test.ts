import { expect, test } from "vitest";
import { ownPath } from "./own-path.ts";

test("a path of the console is kept", () => {
  expect(ownPath("/activity?mode=test")).toBe("/activity?mode=test");
});

test.for(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", undefined, null])(
  "%s leads to the overview",
  (to) => {
    expect(ownPath(to)).toBe("/");
  },
);
