import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../../test/a-folder.ts";
import { GroupCommit } from "../disk/group-commit.ts";
import { Ledger } from "./ledger.ts";
import type { LedgerRecord } from "./ledger-record.ts";

function open(folder: string) {
  const commit = new GroupCommit();
  const seen: string[] = [];
  const ledger = new Ledger(folder, commit, ({ messageId }) => seen.push(messageId));
  return { commit, ledger, seen };
}

function aRecord(messageId: string): Omit<LedgerRecord, "mail"> {
  return {
    messageId,
    acceptedAt: "2026-11-15T00:00:00.000Z",
    requestId: "r",
    from: "a@shop.test",
    identity: "shop.test",
    destination: { to: ["ü@example.test"], cc: [], bcc: [] },
    replyTo: [],
    subject: "s",
    tags: {},
    contentHash: "",
    sizeBytes: 1,
    quotaCost: 1,
    headers: [],
    headersTruncated: false,
    events: [],
  };
}

test("the ledger finds a record and its content by id and position, before and after the write", async () => {
  const folder = aFolder();
  const { ledger, commit } = open(folder);
  const records = ["one", "two", "three"].map((id) => ledger.append(aRecord(id), `content of ${id}: ü`));
  expect(ledger.find("two")).toEqual(records[1]);
  await commit.written();
  const again = open(folder);
  expect(again.seen).toEqual(["one", "two", "three"]);
  expect(again.ledger.at(2)).toEqual(records[2]);
  expect(again.ledger.find("none")).toBeUndefined();
  for (const record of records) expect(again.ledger.contentOf(record)).toBe(`content of ${record.messageId}: ü`);
});

test("the ledger reads a record that is no longer in memory from the file", async () => {
  const { ledger, commit } = open(aFolder());
  const first = ledger.append(aRecord("first"), "{}");
  for (let number = 0; number < 5000; number++) ledger.append(aRecord(`m-${number}`), "{}");
  await commit.written();
  expect(ledger.find("first")).toEqual(first);
});

test("large records leave memory before small ones do, and are read from the file", async () => {
  const { ledger } = open(aFolder());
  const customHeaders = Array.from({ length: 15 }, () => ({ name: "n".repeat(126), value: "v".repeat(870) }));
  const append = (number: number) => ledger.append({ ...aRecord(`m-${number}`), customHeaders }, "{}");
  const oldest = append(0);
  for (let number = 1; number < 2999; number++) append(number);
  const newest = append(2999);
  expect(ledger.find("m-0")).not.toBe(oldest);
  expect(ledger.find("m-0")).toEqual(oldest);
  expect(ledger.find("m-2999")).toBe(newest);
});

test("large mails are written at once, so that they do not collect in memory", () => {
  const folder = aFolder();
  const { ledger } = open(folder);
  ledger.append(aRecord("small"), "{}");
  expect(readFileSync(join(folder, "mail.ndjson"), "utf8")).toBe("");
  const content = JSON.stringify("x".repeat(9_000_000));
  const large = ledger.append(aRecord("large"), content);
  expect(readFileSync(join(folder, "mail.ndjson"), "utf8")).toBe(`{}\n${content}\n`);
  expect(ledger.contentOf(large)).toBe(content);
});

test("the ledger drops a record that a kill left incomplete and keeps the record after it", async () => {
  const folder = aFolder();
  const first = open(folder);
  first.ledger.append(aRecord("one"), "{}");
  await first.commit.written();
  appendFileSync(join(folder, "ledger.ndjson"), '{"messageId":"torn"');
  appendFileSync(join(folder, "mail.ndjson"), '{"Simple":');
  const second = open(folder);
  const two = second.ledger.append(aRecord("two"), '{"two":2}');
  await second.commit.written();
  const third = open(folder);
  expect(third.seen).toEqual(["one", "two"]);
  expect(third.ledger.contentOf(two)).toBe('{"two":2}');
});

test("the ledger file is append-only: an append leaves the existing bytes unchanged", async () => {
  const folder = aFolder();
  const { ledger, commit } = open(folder);
  ledger.append(aRecord("one"), "{}");
  await commit.written();
  const before = readFileSync(join(folder, "ledger.ndjson"), "utf8");
  ledger.append(aRecord("two"), "{}");
  await commit.written();
  expect(readFileSync(join(folder, "ledger.ndjson"), "utf8").startsWith(before)).toBe(true);
});
