import { expect, test } from "vitest";
import {
  aConnection,
  aDatabase,
  anEmptySchema,
  inDays,
  storeEveryHour,
  value,
} from "../../test/partitioned-database.ts";
import { copyTemplate } from "../../test/template-database.ts";
import type { Queryable } from "../db/database.ts";
import { sqlState } from "../db/sql-state.ts";
import { dropOldContents } from "./old-contents.ts";
import { makePartitionsAhead } from "./partitions.ts";

const midNovember = "2026-11-15T06:00:00Z";

test("content is dropped at most a week after its retention ends, and the record of the send stays", async () => {
  const { db } = await aDatabase(anEmptySchema);
  await makePartitionsAhead(db, "month", midNovember);
  const during = ["timestamptz '2026-11-10'", "timestamptz '2026-11-20'"] as const;
  await value(db, storeEveryHour("sends", ...during));
  await value(db, storeEveryHour("send_contents", ...during));
  const counts = async () => [
    await value(db, "select count(*) from send_contents where time_of_id(id) < '2026-11-16'"),
    await value(db, "select count(*) from send_contents"),
    await value(db, "select count(*) from sends"),
  ];
  const [firstWeek, all, sends] = await counts();

  expect(await dropOldContents(db, 30, "2026-12-15T23:59:59Z")).toMatchObject({
    partitions: ["send_contents_2026_11_02"],
    failure: undefined,
  });
  expect(await counts()).toEqual([firstWeek, all, sends]);
  expect(await dropOldContents(db, 30, "2026-12-16T00:00:00Z")).toMatchObject({
    partitions: ["send_contents_2026_11_09"],
  });
  expect(await counts()).toEqual([0, Number(all) - Number(firstWeek), sends]);
  expect(await value(db, "select to_regclass('send_contents_2026_11_09')")).toBeNull();
  expect(await dropOldContents(db, 30, "2026-12-16T00:00:00Z")).toMatchObject({ partitions: [], rows: 0 });
});

test("content in the default partition is deleted when its own retention ends, unless its send is queued", async () => {
  const { db } = await aDatabase(anEmptySchema);
  await value(db, storeEveryHour("send_contents", "timestamptz '2026-07-01'", "timestamptz '2026-11-01'"));
  await queue(db, "2026-07-02T00:00:00Z");
  const { rows } = await dropOldContents(db, 30, "2026-11-01T00:00:00Z");
  expect(rows).toBe((123 - 30) * 24 - 1);
  expect(await value(db, "select count(*) from send_contents where id < first_id_at('2026-10-02')")).toBe(1);
});

test("a transaction that reads contents makes dropping give up within seconds, and the next run succeeds", async () => {
  const { db, url } = await aDatabase(copyTemplate);
  const later = inDays(60);
  await aConnection(url).withTransaction(async (tx) => {
    await tx.query({ name: "read-all", text: "select id from send_contents" });
    const started = performance.now();
    const { partitions, failure } = await dropOldContents(db, 30, later);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect([partitions, sqlState(failure)]).toEqual([[], "55P03"]);
  });
  const { partitions, failure } = await dropOldContents(db, 30, later);
  expect(failure).toBeUndefined();
  expect(partitions).not.toHaveLength(0);
});

test("content is kept for seven days, even when the given retention is shorter", async () => {
  const { db } = await aDatabase(anEmptySchema);
  await makePartitionsAhead(db, "month", midNovember);
  await value(db, storeEveryHour("send_contents", "timestamptz '2026-10-26'", "timestamptz '2026-11-15'"));
  const before = await value(db, "select count(*) from send_contents");
  const { partitions, rows, failure } = await dropOldContents(db, 6, "2026-11-02T00:00:00Z");
  expect([partitions, rows, String(failure)]).toEqual([[], 0, expect.stringContaining("7 days at least")]);
  expect(await value(db, "select count(*) from send_contents")).toBe(before);
});

async function queue(db: Queryable, at: string): Promise<void> {
  await value(
    db,
    `insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
    values (first_id_at('${at}'), gen_random_uuid(), 'live', now(), 'b.test', '{c@d.test}')`,
  );
}
