import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { auditRows } from "../../../test/audit-rows.ts";
import { aFullAccount } from "../../../test/full-account.ts";
import { aQueuedSend } from "../../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../../test/send-rows.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { commandLineActor } from "../../actor.ts";
import { exportAccount } from "./export-account.ts";
import type { Manifest } from "./export-folder.ts";
import { exportedKinds } from "./exported-kinds.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("the files have every kind of data of the account, and nothing of another", async () => {
  const [mine, theirs] = [await anAccountOfAllKinds(), await anAccountOfAllKinds()];
  const folder = aFolder();
  const { manifest, isContinued } = await run(mine.accountId, folder);
  expect(isContinued).toBe(false);
  expect(manifest.finished_at).not.toBeNull();
  const stored = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  expect(stored).toEqual(manifest);
  expect(readdirSync(folder).toSorted()).toEqual(
    ["manifest.json", ...exportedKinds.map(({ name }) => `${name}.ndjson`)].toSorted(),
  );
  for (const { file, table, rows, bytes, sha256, ...rest } of manifest.files) {
    const path = join(folder, file);
    expect([file, statSync(path).size, checksum(path)]).toEqual([file, bytes, sha256]);
    expect([file, linesOf(folder, file).length]).toEqual([file, rows]);
    expect([file, rows]).not.toEqual([file, 0]);
    expect([file, statSync(path).mode & 0o777]).toEqual([file, 0o600]);
    expect(Object.keys(rest)).toEqual(["withheld_columns"]);
    if (table !== "send_attempts" && table !== "accounts" && table !== "audit_entries") {
      const [count] = await change(database.db, `select count(*) as rows from ${table} where account_id = $1`, [
        mine.accountId,
      ]);
      expect([file, rows]).toEqual([file, count?.rows]);
    }
  }
  const everything = manifest.files.map(({ file }) => readFileSync(join(folder, file), "utf8")).join("");
  for (const foreign of [theirs.accountId, theirs.domain, theirs.userId, theirs.sent.id]) {
    expect(everything).not.toContain(foreign);
  }
});

test("a send has its recipients by kind, its tags and its metadata", async () => {
  const { accountId } = await aFullAccount(database.db);
  const id = await aQueuedSend(database.db, {
    accountId,
    to: ["a@x.test", "b@x.test"],
    cc: ["c@x.test"],
    bcc: ["d@x.test"],
  });
  await change(
    database.db,
    `update sends set tags = '{news}', metadata = '{"order":12345678901234567890,"text":"a\\nb"}', subject = E'Two\\nlines' where id = $1`,
    [id],
  );
  const folder = aFolder();
  await run(accountId, folder);
  expect(linesOf(folder, "sends.ndjson").map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      id,
      to: ["a@x.test", "b@x.test"],
      cc: ["c@x.test"],
      bcc: ["d@x.test"],
      subject: "Two\nlines",
      tags: ["news"],
      metadata: { order: Number("12345678901234567890"), text: "a\nb" },
      status: "queued",
    }),
  );
  expect(readFileSync(join(folder, "sends.ndjson"), "utf8")).toContain("12345678901234567890");
});

test("it shows no more of the provider and of operators than the API does", async () => {
  const { accountId, sent } = await aFullAccount(database.db);
  await change(
    database.db,
    `insert into send_attempts (send_id, attempt, started_at, outcome, detail)
     values ($1, 8, now(), 'refused', 'arn:aws:iam'), ($1, 9, now(), 'returned', 'the domain was removed')`,
    [sent.id],
  );
  await change(
    database.db,
    `insert into audit_entries (id, account_id, actor_kind, actor_name, action, target_kind, address)
     values (new_id_at(now()), $1, 'operator', 'Olga', 'account.hold', 'account', '192.0.2.7'),
       (new_id_at(now()), $1, 'user', 'Ada', 'api-key.create', 'api-key', '192.0.2.8')`,
    [accountId],
  );
  await change(database.db, "select pg_sleep(0.002)");
  const folder = aFolder();
  await run(accountId, folder);
  const attempts = readFileSync(join(folder, "attempts.ndjson"), "utf8");
  expect(attempts).toContain("the domain was removed");
  expect(attempts).not.toContain("arn:aws:iam");
  const audit = readFileSync(join(folder, "audit.ndjson"), "utf8");
  expect(audit).toContain("Olga");
  expect(audit).toContain("192.0.2.8");
  expect(audit).not.toContain("192.0.2.7");
});

test("an export that is interrupted after every page has the same files as one that is not", async () => {
  const { accountId } = await anAccountOfAllKinds();
  const folder = aFolder();
  let interruptions = 0;
  for (let isDone = false; !isDone; ) {
    isDone = await run(accountId, folder, interrupt).then(
      () => true,
      (error: Error) => error.message !== "interrupted" && Promise.reject(error),
    );
    // A page that was written, and whose manifest was not.
    const { files, finished_at } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest;
    if (finished_at !== null) break;
    interruptions++;
    const begun = files.find(({ sha256 }) => sha256 === null);
    if (begun !== undefined) appendFileSync(join(folder, begun.file), `{"torn":`);
    writeFileSync(join(folder, "manifest.json.part"), `{"format"`);
  }
  expect(interruptions).toBeGreaterThan(2 * exportedKinds.length);
  const whole = aFolder();
  await run(accountId, whole);
  const sums = (of: string) =>
    Object.fromEntries(exportedKinds.map(({ name }) => [name, checksum(join(of, `${name}.ndjson`))]));
  // The later export has the entries of the earlier one.
  expect({ ...sums(folder), audit: "" }).toEqual({ ...sums(whole), audit: "" });
  expect(linesOf(whole, "audit.ndjson").filter((line) => !line.includes('"account.export"'))).toEqual(
    linesOf(folder, "audit.ndjson"),
  );
  const entries = await auditRows(database.db, accountId, "account.export");
  expect(entries.map(({ after }) => after)).toEqual([
    { continued: false },
    ...Array.from({ length: interruptions }, () => ({ continued: true })),
    { continued: false },
  ]);

  function interrupt(): void {
    throw new Error("interrupted");
  }
});

test("rows from after the start are left out when it is continued", async () => {
  const { accountId } = await aFullAccount(database.db);
  const folder = aFolder();
  await expect(
    run(accountId, folder, () => {
      throw new Error("interrupted");
    }),
  ).rejects.toThrow("interrupted");
  await change(database.db, "select pg_sleep(0.002)");
  const later = await aQueuedSend(database.db, { accountId });
  await run(accountId, folder);
  const ids = linesOf(folder, "sends.ndjson").map((line) => JSON.parse(line).id);
  expect(ids).toHaveLength(1);
  expect(ids).not.toContain(later);
});

test("a folder that the export cannot use is refused", async () => {
  const [mine, theirs] = [await aFullAccount(database.db), await aFullAccount(database.db)];
  const finished = aFolder();
  await run(mine.accountId, finished);
  await expect(run(mine.accountId, finished)).rejects.toThrow("Give another folder for a new one.");
  await expect(run(theirs.accountId, finished)).rejects.toThrow(
    `has an export of another account, ${mine.accountId}. Give another folder.`,
  );
  const full = aFolder();
  writeFileSync(join(full, "notes.txt"), "");
  await expect(run(mine.accountId, full)).rejects.toThrow("is not empty and has no export that can be continued");
  writeFileSync(join(full, "manifest.json"), "{}");
  await expect(run(mine.accountId, full)).rejects.toThrow("is not the manifest of an export");
  await expect(run(mine.accountId, join(full, "notes.txt"))).rejects.toThrow("notes.txt cannot be used. It is a file.");
  expect(await auditRows(database.db, theirs.accountId, "account.export")).toEqual([]);
});

test("a file that lost bytes is refused, not continued", async () => {
  const { accountId } = await aFullAccount(database.db);
  const folder = aFolder();
  const stop = () => {
    throw new Error("interrupted");
  };
  await expect(run(accountId, folder, stop)).rejects.toThrow("interrupted");
  truncateSync(join(folder, "account.ndjson"), 10);
  await expect(run(accountId, folder)).rejects.toThrow("account.ndjson is shorter than its manifest says");
});

test("an account whose data is being deleted is not exported", async () => {
  const { accountId } = await aFullAccount(database.db);
  await change(
    database.db,
    "insert into account_deletions (account_id, requested_by, purge_started_at) values ($1, 'x', now())",
    [accountId],
  );
  await expect(run(accountId, aFolder())).rejects.toThrow("The data of the account is being deleted.");
});

/** Several rows of most kinds, so that pages of two rows have a next one. */
async function anAccountOfAllKinds() {
  const { db } = database;
  const account = await aFullAccount(db);
  for (let count = 0; count < 4; count++) {
    await aQueuedSend(db, { accountId: account.accountId, mode: count % 2 === 0 ? "live" : "test" });
  }
  const statements = [
    "insert into webhook_networks (account_id, network) values ($1, '10.0.0.0/8'), ($1, '0.0.0.0/0'), ($1, '192.168.0.0/16')",
    `insert into usage_hours (account_id, mode, hour, domain)
     select $1, 'live', date_trunc('hour', now()) - make_interval(hours => n), 'shop.test' from generate_series(1, 5) as n`,
    `insert into usage_key_hours (account_id, api_key_id, hour, sends, recipients)
     select $1, gen_random_uuid(), date_trunc('hour', now()), n, n from generate_series(1, 3) as n`,
    `insert into usage_tag_days (account_id, mode, day, tag)
     select $1, 'live', current_date - n, 'news' from generate_series(1, 3) as n`,
    `insert into usage_refusals (account_id, api_key_id, hour, code, count)
     select $1, gen_random_uuid(), date_trunc('hour', now()), 'RATE_LIMITED', n from generate_series(1, 3) as n`,
    `insert into logged_requests (id, account_id, mode, method, route, status, request_id)
     select new_id_at(now()), $1, 'live', 'GET', '/api/v1/sends', 401, 'r' || n from generate_series(1, 3) as n`,
  ];
  for (const text of statements) await change(db, text, [account.accountId]);
  // Rows of the same millisecond as the start are from after it.
  await change(db, "select pg_sleep(0.002)");
  return account;
}

const aFolder = () => mkdtempSync(join(tmpdir(), "postern-export-"));

function run(accountId: string, folder: string, onProgress: () => void = () => undefined) {
  const account = { id: accountId, name: "Shop" };
  return exportAccount(database.db, { account, folder, actor: commandLineActor(), onProgress, rowsPerPage: 2 });
}

function checksum(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function linesOf(folder: string, file: string): string[] {
  return readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
