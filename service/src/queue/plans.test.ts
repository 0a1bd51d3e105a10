import { randomUUIDv7 } from "node:crypto";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { recordReports } from "../feedback/record-reports.ts";
import { type ClaimedSend, claimSends } from "./claim-sends.ts";
import { expireSends } from "./expire-sends.ts";
import { markSent } from "./settle-sends.ts";

const shared = useTestDatabase();
useEmptyQueue(shared);

/** PostgreSQL chooses a generic plan at the sixth execution. */
const executionsBefore = 7;
const [queueLength, batchSize] = [3_000, 50];

let db: Database;
let accountId: string;

// One connection, because each connection has its own plans.
beforeAll(async () => {
  db = openDatabase({ url: shared.url, poolSize: 1, applicationName: "postern-test", onIdleError: () => undefined });
  accountId = await anAccount(db);
  await aVerifiedDomain(db, accountId, "plans.test");
  return () => db.close();
});

test("plans chosen on empty tables read only the rows they need when the tables are full", async () => {
  await run("analyze send_queue, sends, events");
  const unknown = { id: randomUUIDv7(), attempt: 1, attemptedAt: "2026-11-15T00:00:00Z" };
  for (let execution = 0; execution < executionsBefore; execution++) {
    await claim();
    await settle([unknown]);
    await report([unknown]);
    await expireSends(db, "live");
  }
  await fill();
  onTestFinished(() => run("delete from send_queue"));

  const expired = await rowsRead(["send_queue"], () => expireSends(db, "live"));
  expect(expired).toEqual({ result: 0, rows: 0 });
  const claimed = await rowsRead(["send_queue"], claim);
  expect(claimed.result).toHaveLength(batchSize);
  expect(claimed.rows).toBeLessThan(batchSize * 5);
  // Other workers hold far more leases than are settled here.
  for (let more = 0; more < 20; more++) await claim();
  const settled = await rowsRead(["send_queue", "sends_%"], () => settle(claimed.result));
  expect(settled.result).toEqual(claimed.result.map(() => "sent"));
  expect(settled.rows).toBeLessThan(batchSize * 5);
  const reported = await rowsRead(["sends_%"], () => report(claimed.result));
  expect(reported.result.newEvents).toBe(batchSize);
  expect(reported.rows).toBeLessThan(batchSize * 5);
});

async function claim(): Promise<ClaimedSend[]> {
  const limits = { maxSends: batchSize, maxRecipients: batchSize, fromFairAt: "-infinity", isProbe: false };
  return (await claimSends(db, { mode: "live", ...limits })).sends;
}

type Attempted = Pick<ClaimedSend, "id" | "attempt" | "attemptedAt">;

function settle(sends: Attempted[]) {
  const outcome = "accepted" as const;
  return markSent(
    db,
    sends.map(({ id: sendId, attempt, attemptedAt: startedAt }) => {
      return { sendId, attempt, startedAt, outcome, providerMessageId: `m-${sendId}` };
    }),
  );
}

function report(sends: Attempted[]) {
  const nothing = { bounceType: undefined, bounceSubtype: undefined, complaintType: undefined, suppressAs: undefined };
  return recordReports(
    db,
    sends.map(({ id: sendId }) => {
      const event = { eventId: randomUUIDv7(), sendId, type: "Delivery", at: new Date().toISOString() } as const;
      return { ...event, recipient: "ann@example.test", rank: 2, ...nothing };
    }),
  );
}

async function fill(): Promise<void> {
  const ids = Array.from({ length: queueLength }, () => randomUUIDv7());
  await db.query({
    name: "fill-for-plans",
    text: `
      with stored as (
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
        select id, $2, 'live', 'queued', 'a@plans.test', '{ann@example.test}', 1, 0, 'Hello' from unnest($1::uuid[]) as id
      )
      insert into send_queue (id, account_id, mode, fair_at, from_domain, recipients)
      select id, $2, 'live', now(), 'plans.test', '{ann@example.test}' from unnest($1::uuid[]) as id`,
    values: [ids, accountId],
  });
}

/** The result of the work, and how many rows of these tables PostgreSQL fetched for it. */
async function rowsRead<Result>(tables: string[], work: () => Promise<Result>) {
  const before = await countFetched(tables);
  const result = await work();
  return { result, rows: (await countFetched(tables)) - before };
}

async function countFetched(tables: string[]): Promise<number> {
  await run("select pg_stat_force_next_flush()");
  const [row] = await db.query<{ rows: number }>({
    name: "rows-fetched",
    text: `
      select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int8 as rows
      from pg_stat_user_tables
      where relname like any ($1::text[])`,
    values: [tables],
  });
  return row?.rows ?? Number.NaN;
}

async function run(text: string): Promise<void> {
  await db.query({ name: text, text });
}
