import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend, aVerifiedDomain } from "../../test/send-builders.ts";
import { change, queueRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { denyDomain } from "./denied-domains.ts";
import { DeniedDomainParking, parkDeniedDomains } from "./park-denied-domains.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("no plan reads more than the first thousand ready sends, whatever the statistics say", async () => {
  // One connection, because each connection has its own plans.
  const options = { poolSize: 1, applicationName: "postern-test", onIdleError: () => undefined };
  const db = openDatabase({ url: database.url, ...options });
  try {
    const accountId = await anAccount(db);
    await aDeniedDomain(accountId);
    // The statistics are from a time when nearly all mail waited.
    await fill(accountId, 3_000, "test");
    await fill(accountId, 3_000);
    await change(db, "update send_queue set state = 'waiting', due_at = now() where random() < 0.95");
    await change(db, "vacuum analyze send_queue");
    await fill(accountId, 20_000);
    // The first five plans are for these values, the later ones for any.
    for (let execution = 0; execution < 7; execution++) {
      const before = await rowsFetched(db);
      expect(await parkDeniedDomains(db, "live")).toBe(0);
      expect((await rowsFetched(db)) - before).toBeLessThan(1_500);
    }
  } finally {
    await db.close();
  }
});

test("sends behind the first thousand are parked once those in front of them are gone", async () => {
  const accountId = await anAccount(database.db);
  const fromDomain = await aDeniedDomain(accountId);
  await fill(accountId, 1_500);
  const id = await aQueuedSend(database.db, { accountId, fromDomain, fairInSeconds: 60 });
  expect(await parkDeniedDomains(database.db, "live")).toBe(0);
  await change(database.db, "delete from send_queue where id in (select id from send_queue where id <> $1 limit 600)", [
    id,
  ]);
  expect(await parkDeniedDomains(database.db, "live")).toBe(1);
  expect(await queueRow(database.db, id)).toMatchObject({ state: "parked", attempt: 0 });
});

test("a worker parks every five seconds, also after a failure", async () => {
  let now = 0;
  let calls = 0;
  const query = async () => {
    calls += 1;
    throw new Error("no answer");
  };
  const parking = new DeniedDomainParking({ query }, "live", () => now);
  await expect(parking.parkIfDue()).rejects.toThrow("no answer");
  now = 4_999;
  await parking.parkIfDue();
  expect(calls).toBe(1);
  now = 5_000;
  await expect(parking.parkIfDue()).rejects.toThrow("no answer");
  expect(calls).toBe(2);
});

async function aDeniedDomain(accountId: string): Promise<string> {
  const domainName = await aVerifiedDomain(database.db, accountId);
  await denyDomain(database.db, { accountId, domainName }, "AccessDeniedException");
  return domainName;
}

async function fill(accountId: string, count: number, mode = "live"): Promise<void> {
  await change(
    database.db,
    `insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
     select gen_random_uuid(), $1, $3, now() - random() * interval '1 hour', 'shop.test', '{a@b.test}' from generate_series(1, $2::integer)`,
    [accountId, count, mode],
  );
}

async function rowsFetched(db: Database): Promise<number> {
  await change(db, "select pg_stat_force_next_flush()");
  const [row] = await db.query<{ rows: number }>({
    name: "rows-of-the-queue",
    text: "select (idx_tup_fetch + seq_tup_read)::int8 as rows from pg_stat_user_tables where relname = 'send_queue'",
  });
  return row?.rows ?? Number.NaN;
}
