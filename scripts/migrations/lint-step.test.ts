import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lintFolder } from "./lint-folder.ts";
import { lintExpandStep } from "./lint-step.ts";

const schema = { partitioned: new Set(["sends"]) };
const lint = (sql: string) => lintExpandStep(`-- Expands. For the test.\n${sql}`, schema);

const refused: [string, string, RegExp][] = [
  ["a dropped table", "drop table accounts", /^drop: belongs into a contract step/],
  ["a dropped view", "drop view partition_ranges", /^drop/],
  ["a dropped function", "drop function server_run()", /^drop/],
  ["a dropped trigger", "drop trigger t on accounts", /^drop/],
  [
    "a dropped index, also concurrently",
    "-- step: x\ndrop index concurrently if exists accounts_idx",
    /^step "x": drop/,
  ],
  ["a dropped column", "alter table accounts drop column name", /^drop column name/],
  ["a dropped constraint", "alter table accounts drop constraint c", /^drop constraint c: only in one statement/],
  ["a renamed table", "alter table accounts rename to customers", /^rename/],
  ["a renamed column", "alter table accounts rename column name to title", /^rename/],
  ["another type", "alter table accounts alter column name type varchar(9)", /^type of name/],
  [
    "a column with not null and no default",
    "alter table accounts add column a text not null",
    /^column a: `not null` without/,
  ],
  ["set not null", "alter table accounts alter column name set not null", /^set not null on name/],
  ["a dropped default", "alter table accounts alter column name drop default", /^drop default/],
  [
    "a default that rewrites",
    "alter table accounts add column a uuid default gen_random_uuid()",
    /^column a: a default/,
  ],
  ["a serial column", "alter table accounts add column a serial", /^column a: a serial/],
  ["a generated column", "alter table accounts add column a int generated always as (1) stored", /CONSTR_GENERATED/],
  ["a column with a check", "alter table accounts add column a int check (a > 0)", /CONSTR_CHECK/],
  ["a valid check", "alter table accounts add constraint c check (name <> '')", /^constraint c: add it as `not valid`/],
  [
    "a valid foreign key",
    "alter table users add constraint c foreign key (account_id) references accounts",
    /`not valid`/,
  ],
  ["a unique constraint", "alter table accounts add constraint c unique (name)", /using index/],
  [
    "a validation with its constraint",
    "alter table accounts add constraint c check (name <> '') not valid; alter table accounts validate constraint c",
    /^validate constraint: in a part/,
  ],
  ["an index that blocks writes", "create index i on accounts (name)", /^index of accounts, which exists/],
  [
    "a concurrent index in a transaction",
    "create index concurrently if not exists i on accounts (name)",
    /^index of accounts, which exists/,
  ],
  [
    "a concurrent index that cannot be repeated",
    "-- step: x\ncreate index concurrently i on accounts (name)",
    /must be repeatable/,
  ],
  ["an index of a partitioned table", "create index i on sends (subject)", /^index of sends, which has partitions/],
  [
    "an index of the parent alone",
    "-- step: x\ncreate index if not exists i on only sends (subject)",
    /which has partitions/,
  ],
  [
    "a partitioned index of a plain table",
    "-- partitioned index: x\ncreate index i on accounts (name)",
    /has no partitions/,
  ],
  ["an update of a whole table", "update accounts set name = ''", /^change of accounts: a backfill runs in batches/],
  ["a delete", "delete from accounts", /^change of accounts/],
  ["truncate", "truncate accounts", /^TruncateStmt is not known/],
  ["do, whose body hides statements", "do $$ begin drop table accounts; end $$", /^do: the linter cannot read/],
  ["a policy of an existing table", "create policy p on accounts using (true)", /^a policy/],
  ["row-level security of an existing table", "alter table accounts enable row level security", /AT_EnableRowSecurity/],
  ["revoke", "revoke select on accounts from public", /^revoke/],
  ["revoke of an older function", "revoke all on function f (int) from public", /^revoke/],
  [
    "revoke of a replaced function",
    "create or replace function f() returns int language sql return 1; revoke all on function f () from public",
    /^revoke/,
  ],
  ["its own lock timeout", "set lock_timeout = 0", /^VariableSetStmt/],
  ["its own transaction", "commit", /^TransactionStmt/],
  [
    "two statements in one part",
    "-- step: x\ncreate table if not exists a (); create table if not exists b ()",
    /^step "x": 2 statements/,
  ],
  [
    "statements before the parts",
    "create table a ();\n-- step: x\ncreate table if not exists b ()",
    /^statements before/,
  ],
  ["a column that cannot be repeated", "-- step: x\nalter table accounts add column a text", /must be repeatable/],
  ["an insert that cannot be repeated", "-- step: x\ninsert into accounts (id) values (null)", /must be repeatable/],
];

describe("refused", () => {
  test.for(refused)("%s", async ([, sql, reason]) => {
    expect(await lint(sql)).toEqual([expect.stringMatching(reason)]);
  });

  test("a file that does not say that it expands", async () => {
    expect(await lintExpandStep("create table a ();", schema)).toEqual([expect.stringMatching(/^the first line/)]);
  });

  test("SQL that PostgreSQL cannot parse", async () => {
    await expect(lint("alter tabel accounts")).rejects.toThrow(/syntax error/);
  });
});

const permitted: [string, string][] = [
  [
    "revoke of a new function",
    "create function f() returns int language sql return 1; revoke all on function f () from public",
  ],
  [
    "a new table with everything that belongs to it",
    "create table a (id int not null); alter table a enable row level security; create policy p on a using (true); create index i on a (id); alter table a add constraint c check (id > 0); insert into a values (1); update a set id = 2",
  ],
  [
    "a new partitioned table with its indexes",
    "create table a (id int) partition by range (id); create index i on a (id)",
  ],
  ["a column that may be null", "alter table accounts add column a text"],
  [
    "a column with not null and a constant default",
    "alter table accounts add column a boolean not null default false, add column b timestamptz not null default now()",
  ],
  ["a wider check", "alter table accounts drop constraint c, add constraint c check (name in ('a', 'b')) not valid"],
  [
    "a wider check in parts",
    "-- step: wider\nalter table accounts drop constraint if exists c, add constraint c check (name <> '') not valid;\n-- step: validate\nalter table accounts validate constraint c;",
  ],
  ["a validation in a step of its own", "alter table accounts validate constraint c"],
  ["an index built concurrently", "-- step: x\ncreate index concurrently if not exists i on accounts (name);"],
  ["a partitioned index", "-- partitioned index: x\ncreate index i on sends (subject) where subject <> '';"],
  ["a unique constraint of an index", "alter table accounts add constraint c unique using index i"],
  [
    "a backfill in batches",
    "-- repeat: x\nupdate accounts set name = '' where id in (select id from accounts where name is null limit 1000)",
  ],
  [
    "a function, a trigger, a view and a comment",
    "create or replace function f() returns trigger language plpgsql as 'begin drop table x; end'; create trigger t after insert on accounts for each row execute function f(); create or replace view v as select 1 as one; comment on table accounts is 'x'",
  ],
  [
    "drop not null and a new default",
    "alter table accounts alter column name drop not null, alter column name set default ''",
  ],
  ["no statement at all", ""],
];

test.for(permitted)("permitted: %s", async ([, sql]) => {
  expect(await lint(sql)).toEqual([]);
});

test("the steps of this repository are permitted", async () => {
  expect(await lintFolder(join(import.meta.dirname, "../../service/migrations"))).toEqual([]);
});

test("a planted incompatible step is refused by its name, a partitioned table is known from an earlier step, and steps up to 0079 are exempt", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-lint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "contract"));
  writeFileSync(join(folder, "0079_old.sql"), "create table sends (id int) partition by range (id); drop table gone;");
  writeFileSync(
    join(folder, "0080_planted.sql"),
    "-- Expands. Planted.\ndrop table accounts; create index i on sends (id);",
  );
  writeFileSync(join(folder, "contract/0080_gone.sql"), "-- Contracts. Planted.\ndrop table accounts;");
  writeFileSync(join(folder, "contract/0081_gone.sql"), "drop table accounts;");
  expect(await lintFolder(folder)).toEqual([
    expect.stringMatching(/^0080_planted: drop: /),
    expect.stringMatching(/^0080_planted: index of sends, which has partitions/),
    expect.stringMatching(/^contract\/0081_gone: its number is the oldest code/),
    expect.stringMatching(/^contract\/0081_gone: the first line/),
  ]);
});
