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
