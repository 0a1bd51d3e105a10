import { expect, test } from "vitest";
import { readRecords } from "./read-records.ts";

test("CSV has the names of its columns in the first line, and quoted cells may have commas and line breaks", () => {
  const file = '\ufeffemail,note\r\na@x.test,"said ""no"", twice"\r\n\r\nb@x.test,"two\r\nlines"\r\nc@x.test';
  expect(readRecords(file)).toEqual([
    { line: 2, fields: { email: "a@x.test", note: 'said "no", twice' } },
    { line: 4, fields: { email: "b@x.test", note: "two\r\nlines" } },
    { line: 6, fields: { email: "c@x.test", note: "" } },
  ]);
});

test("a list of addresses needs no names, and semicolons separate columns too", () => {
  expect(readRecords("a@x.test\n'+b@x.test\n").map(({ fields }) => fields.email)).toEqual(["a@x.test", "+b@x.test"]);
  expect(readRecords("reason;email\ncomplaint;a@x.test")).toEqual([
    { line: 2, fields: { reason: "complaint", email: "a@x.test" } },
  ]);
});

test("NDJSON has an object in each line; other lines have no fields", () => {
  expect(readRecords('{"EmailAddress":"a@x.test","Count":2,"Tags":[]}\n\nbroken\n')).toEqual([
    { line: 1, fields: { EmailAddress: "a@x.test", Count: "2" } },
    { line: 3, fields: {} },
  ]);
});

test("an empty file has no records", () => {
  expect(readRecords("")).toEqual([]);
});
