import { describe, expect, test } from "vitest";
import type { SuppressionReason } from "../../suppression-reason.ts";
import { createImportReader, type ReadRecord } from "./import-reader.ts";
import type { FileSource } from "./import-sources.ts";

/** In pieces of this size, so that records are cut anywhere. */
function read(text: string, options: { source?: FileSource; otherwise?: SuppressionReason; size?: number } = {}) {
  const { source = "csv", otherwise = "manual", size = text.length || 1 } = options;
  const reader = createImportReader({ source, otherwise });
  const records: ReadRecord[] = [];
  for (let at = 0; at < text.length; at += size) records.push(...reader.push(text.slice(at, at + size)));
  return [...records, ...reader.end()].map((record) =>
    "problem" in record
      ? `${record.line}: ${record.problem}`
      : [record.line, record.entry.email, record.entry.reason, record.entry.note].filter(Boolean).join(" "),
  );
}

describe("a CSV file", () => {
  const file =
    '\ufeffemail,reason,note\r\nA@X.test,complaint,"said ""no"", twice"\r\n\r\nb@x.test,,"two\r\nlines"\r\n"c@x.test",hard_bounce\nd@x.test';

  test.for([1, 2, 3, 7, 1_000])("is read in pieces of %i characters, with quoted commas and line breaks", (size) => {
    expect(read(file, { size })).toEqual([
      '2 a@x.test complaint said "no", twice',
      "4 b@x.test manual two lines",
      "6 c@x.test hard_bounce",
      "7 d@x.test manual",
    ]);
  });

  test("may separate its columns by semicolons or tabs", () => {
    expect(read("reason;email\ncomplaint;a@x.test")).toEqual(["2 a@x.test complaint"]);
    expect(read("reason\temail\ncomplaint\ta@x.test")).toEqual(["2 a@x.test complaint"]);
  });

  test("without names of columns has an address in each line", () => {
    expect(read("a@x.test\nb@x.test\n")).toEqual(["1 a@x.test manual", "2 b@x.test manual"]);
    expect(read("name,city\nada,London")).toEqual(
      ["1: names no column email; the first column is read", "2: has nothing after the @"].map((line) =>
        expect.stringContaining(line.slice(0, 3)),
      ),
    );
  });

  test("of our own export is read back: the apostrophe before a formula is removed", () => {
    expect(read("email\n'+a@x.test\n'=b@x.test")).toEqual(["2 +a@x.test manual", "3 =b@x.test manual"]);
  });

  test("has a problem at each line that is no entry, and the others are read", () => {
    expect(read("email,reason\nno address,\na@x.test,bored\n,complaint\nb@x.test,complaint")).toEqual([
      expect.stringMatching(/^2: /),
      "3: has a reason that is not hard_bounce, complaint or manual",
      "4: has no address",
      "5 b@x.test complaint",
    ]);
  });

  test.for(["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"])(
    "takes %s as an unknown reason",
    (word) => {
      expect(read(`email,reason\na@x.test,${word}`)).toEqual([
        "2: has a reason that is not hard_bounce, complaint or manual",
      ]);
      expect(read(`email,origin\na@x.test,${word}`, { source: "resend" })).toEqual(["2 a@x.test manual"]);
      expect(read(`EmailAddress,SuppressionReason\na@x.test,${word}`, { source: "postmark" })).toEqual([
        "2 a@x.test manual",
      ]);
    },
  );

  test.for([64, 10_000])("with a quotation mark that is never closed loses one line, in pieces of %i", (size) => {
    const rest = Array.from({ length: 4_000 }, (_, number) => `n${number}@x.test,manual,a note of some length`).join(
      "\n",
    );
    const records = read(`email,reason,note\na@x.test,manual,"open\n${rest}`, { size });
    expect(records[0]).toBe("2: has a quotation mark that is not closed");
    expect(records).toHaveLength(4_001);
    expect(records.at(-1)).toBe("4002 n3999@x.test manual a note of some length");
  });

  test("with a line of a megabyte has a problem at this line and keeps none of it", () => {
    const long = `email\na@x.test\n${"x".repeat(1_000_000)}\nb@x.test`;
    expect(read(long, { size: 10_000 })).toEqual([
      "2 a@x.test manual",
      "3: is longer than 64 KiB",
      "4 b@x.test manual",
    ]);
  });
});

describe("an NDJSON file", () => {
  test("has an object in each line, and quotation marks do not join lines", () => {
    const file =
      '{"email":"a@x.test","reason":"complaint","note":"said \\"no\\" and \\" more"}\n{"email":\n[]\n{"email":"b@x.test"}';
    expect(read(file, { size: 5 })).toEqual([
      '1 a@x.test complaint said "no" and " more',
      "2: is not a JSON object",
      "3: is not a JSON object",
      "4 b@x.test manual",
    ]);
  });
});

describe("the export of a service", () => {
  test.for<[FileSource, string, string, string[]]>([
    [
      "sendgrid",
      "bounces",
      "status,reason,email,created\n5.1.1,550 unknown user,a@x.test,1700000000",
      ["2 a@x.test hard_bounce"],
    ],
    ["sendgrid", "blocks", "status,reason,email,created\n4.7.1,try later,a@x.test,1700000000", ["2 a@x.test manual"]],
    ["sendgrid", "unsubscribes", "email,created\na@x.test,1700000000", ["2 a@x.test manual"]],
    [
      "resend",
      "suppressions",
      '{"id":"1","email":"a@x.test","origin":"bounce"}\n{"email":"b@x.test","origin":"complaint"}\n{"email":"c@x.test","origin":"new word"}',
      ["1 a@x.test hard_bounce", "2 b@x.test complaint", "3 c@x.test manual"],
    ],
    [
      "postmark",
      "suppressions",
      "EmailAddress,SuppressionReason,Origin,CreatedAt\na@x.test,HardBounce,Recipient,2026\nb@x.test,SpamComplaint,Recipient,2026\nc@x.test,ManualSuppression,Customer,2026",
      ["2 a@x.test hard_bounce", "3 b@x.test complaint", "4 c@x.test manual"],
    ],
    ["postmark", "titles", "Email Address,Suppression Reason\na@x.test,SpamComplaint", ["2 a@x.test complaint"]],
    [
      "mailgun",
      "bounces",
      'address,code,error,created_at\na@x.test,550,"No such mailbox, sorry","Fri, 21 Oct 2011 11:02:55 GMT"',
      ["2 a@x.test hard_bounce"],
    ],
    ["mailgun", "unsubscribes", "address,tags,created_at\na@x.test,*,2011", ["2 a@x.test manual"]],
  ])("%s, %s, is read by its columns", ([source, , file, expected]) => {
    expect(read(file, { source })).toEqual(expected);
  });

  test("without a reason gets the one that the caller names: spam reports of SendGrid, complaints of Mailgun", () => {
    expect(read("email,created\na@x.test,17", { source: "sendgrid", otherwise: "complaint" })).toEqual([
      "2 a@x.test complaint",
    ]);
    expect(read("address,created_at\na@x.test,17", { source: "mailgun", otherwise: "complaint" })).toEqual([
      "2 a@x.test complaint",
    ]);
  });
});
