import { expect, test } from "vitest";
import { csvLine } from "./csv-line.ts";

test("quotes, commas and line breaks stay inside their cell, and a missing value is empty", () => {
  expect(csvLine(["a,b", 'say "hi"', "two\r\nlines", null, undefined, 7, ["x@y.test", "z@y.test"]])).toBe(
    '"a,b","say ""hi""","two\r\nlines",,,7,"x@y.test, z@y.test"\r\n',
  );
});

test.for(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])("a spreadsheet does not run %j", (text) => {
  expect(csvLine([text]).replace(/^"/, "").startsWith(`'${text}`)).toBe(true);
});
