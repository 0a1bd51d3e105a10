import { Writable } from "node:stream";
import { expect, inject, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anEvent } from "../../test/event-builders.ts";
import { aPastSend } from "../../test/past-records.ts";
import { copyTemplate, openTestDatabase } from "../../test/template-database.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { createLog } from "../log.ts";
import { storageChores } from "./storage-chores.ts";

test("missing partitions are created and logged once; nothing is logged when none is missing", async () => {
  const { run, db, lines } = await aWorker();
  await change(db, "drop table %I", "parent = 'events' and starts_at > now()");
  await run("make-partitions");
  expect(lines()).toEqual([
    expect.objectContaining({
      level: "info",
      event: "partitions.made",
      partitions: expect.arrayContaining([expect.stringMatching(/^events_/)]),
    }),
  ]);
  await run("make-partitions");
  expect(lines()).toEqual([]);
});

test("a partition that cannot be created and rows in a default partition are each logged as a warning with their table", async () => {
  const { run, db, lines } = await aWorker();
  // The detached table keeps the name that the new partition needs.
  await change(db, "alter table sends detach partition %I", "parent = 'sends' and starts_at > now()");
  await storeContent(db, "2001-01-01");
  await run("make-partitions");
  expect(lines()).toEqual([
    expect.objectContaining({
      level: "warn",
      event: "partitions.behind",
      table: "sends",
      covers_now: true,
      err: expect.objectContaining({ code: "42P07" }),
    }),
    expect.objectContaining({ level: "warn", event: "partitions.default-used", table: "send_contents" }),
  ]);
});

test("dropped contents are logged, as partitions and as rows", async () => {
  const { run, db, lines } = await aWorker();
  await change(db, "drop table %I", "parent = 'send_contents' and ends_at is not null");
  await db.query({
    name: "an-old-week",
    text: `
      create table send_contents_old partition of send_contents
      for values from ('01900000-0000-7000-8000-000000000000') to ('01910000-0000-7000-8000-000000000000')`,
  });
  await storeContent(db, "2001-01-01");
  await run("drop-old-contents");
  expect(lines()).toEqual([
    expect.objectContaining({ event: "contents.dropped", partitions: ["send_contents_old"], default_rows: 1 }),
  ]);
  await run("drop-old-contents");
  expect(lines()).toEqual([]);
});

test("the chore fails with the error that stops it from dropping contents", async () => {
  const { run } = await aWorker({ contentRetentionDays: 6 });
  await expect(run("drop-old-contents")).rejects.toThrow("7 days at least");
});

test("dropped records are logged; without RECORD_RETENTION_DAYS the chore drops nothing", async () => {
  for (const [recordRetentionDays, expected] of [
    [undefined, []],
    [60, [expect.objectContaining({ event: "records.dropped", sends: 1, events: 1, keys: 1, searches: 2 })]],
  ] as const) {
    const { run, db, lines } = await aWorker({ recordRetentionDays });
    const accountId = await anAccount(db);
    const sendId = await aPastSend(db, { accountId, at: "2001-01-01T00:00:00Z" });
    await anEvent(db, { accountId, sendId, at: "2001-01-01T00:00:05Z" });
    await run("drop-old-records");
    expect(lines()).toEqual(expected);
  }
});

test("the chore folds all list changes", async () => {
  const { run, db } = await aWorker();
  await db.query({
    name: "many-changes",
    text: `
      insert into list_changes (account_id, mode, list, difference)
      select '01a1ddd0-0000-7000-8000-000000000000', 'live', 'suppressions', 1
      from generate_series(1, 12000)`,
  });
  await run("fold-list-changes");
  const rows = await db.query<{ count: number }>({
    name: "counts",
    text: "select count, (select count(*) from list_changes) as left from list_counts",
  });
  expect(rows).toEqual([{ count: 12_000, left: 0 }]);
});

test("the ids of sends of deleted accounts go 40 days after they were accepted, also when there are many", async () => {
  const { run, db, lines } = await aWorker();
  await db.query({
    name: "forgotten-sends",
    text: `
      insert into forgotten_sends (send_id)
      select new_id_at(now() - age)
      from unnest(array_fill(interval '40 days 1 minute', array[12000]) || '{39 days 23:59:00, 1 minute}'::interval[]) as age`,
  });
  await run("drop-forgotten-sends");
  const left = await db.query<{ age: number }>({
    name: "forgotten-ages",
    text: "select extract(day from now() - time_of_id(send_id))::integer as age from forgotten_sends order by 1",
  });
  expect(left).toEqual([{ age: 0 }, { age: 39 }]);
  expect(lines()).toEqual([expect.objectContaining({ event: "forgotten-sends.dropped", sends: 12_000 })]);
  await run("drop-forgotten-sends");
  expect(lines()).toEqual([]);
});

test("a snapshot that is held too long is logged once, with its holder and the statement that ends it", async () => {
  const { run, url, lines } = await aWorker({ heldTooLongSeconds: 0 });
  const holder = openDatabase({
    url,
    poolSize: 1,
    applicationName: "snapshot-holder",
    onIdleError: () => undefined,
  });
  await holder.withTransaction(async (tx) => {
    const [row] = await tx.query<{ pid: number; xid: string }>({
      name: "take-id",
      text: "select pg_backend_pid() as pid, pg_current_xact_id()::text as xid",
    });
    await run("watch-snapshots");
    expect(lines()).toEqual([
      expect.objectContaining({
        level: "warn",
        event: "storage.snapshot-held",
        holder: "session",
        name: "snapshot-holder",
        pid: row?.pid,
        held_seconds: 0,
        run: `select pg_terminate_backend(${row?.pid})`,
      }),
    ]);
    await run("watch-snapshots");
    expect(lines()).toEqual([]);
  });
  await holder.close();
  await run("watch-snapshots");
  expect(lines()).toEqual([]);
});

test("a short transaction is not logged", async () => {
  const { run, db, lines } = await aWorker();
  await db.withTransaction(async (tx) => {
    await tx.query({ name: "take-id", text: "select pg_current_xact_id()::text" });
    await run("watch-snapshots");
  });
  expect(lines()).toEqual([]);
});

interface Rules {
  contentRetentionDays?: number;
  auditRetentionDays?: number;
  recordRetentionDays?: number | undefined;
  heldTooLongSeconds?: number;
}

async function aWorker({ contentRetentionDays = 30, auditRetentionDays = 400, ...rules }: Rules = {}) {
  const { url, drop } = await copyTemplate(inject("serverUrl"));
  const db = openTestDatabase(url);
  onTestFinished(async () => {
    await db.close();
    await drop();
  });
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const log = createLog("info", stream);
  const chores = storageChores({ db, log, partitionSpan: "month", contentRetentionDays, auditRetentionDays, ...rules });
  return {
    db,
    url,
    run: async (name: string) => chores.find((chore) => chore.name === name)?.run(),
    /** The lines logged since the last call. */
    lines: () => written.splice(0).map((line): unknown => JSON.parse(line)),
  };
}

/** Runs a statement for each partition that meets a condition. */
async function change(db: Database, statement: string, condition: string): Promise<void> {
  await db.query({
    name: "change-partitions",
    text: `
      do $$
      declare part text;
      begin
        for part in select name from partition_ranges where ${condition} loop
          execute format('${statement}', part);
        end loop;
      end
      $$`,
  });
}

async function storeContent(db: Database, at: string): Promise<void> {
  const text = "insert into send_contents (id, sealed) values (first_id_at($1), '')";
  await db.query({ name: "store-content", text, values: [at] });
}
