import { expect, test } from "vitest";
import { toCsv } from "./csv.ts";

test("quotes, commas and line breaks stay inside their cell", () => {
  expect(toCsv([["a,b", 'say "hi"', "two\r\nlines", "plain"]])).toBe('"a,b","say ""hi""","two\r\nlines",plain\r\n');
});

test.for(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])("a spreadsheet does not run %j", (text) => {
  expect(
    toCsv([[text]])
      .replace(/^"/, "")
      .startsWith(`'${text}`),
  ).toBe(true);
});

test("a number stays a number, also a negative one", () => {
  expect(toCsv([[1, -2.5, 0]])).toBe("1,-2.5,0\r\n");
});

test("a missing value is an empty cell", () => {
  expect(toCsv([[null, undefined, ""], ["x"]])).toBe(",,\r\nx\r\n");
});
