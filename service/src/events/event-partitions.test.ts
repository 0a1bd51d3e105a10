import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { manyEvents } from "../../test/event-builders.ts";
import { anEmptySchema } from "../../test/partitioned-database.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { touchedBlocks } from "../../test/touched-blocks.ts";
import { makeWeeksOfEvents, repeatEvents } from "../../test/weekly-events.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { foldListChanges } from "../db/list-counts.ts";
import type { Mode } from "../mode.ts";
import { listEvents } from "./event-store.ts";
import type { EventType } from "./send-event.ts";

const weeks = 160;
const pageSize = 50;
/** PostgreSQL plans a statement for its values five times, unless `plan_cache_mode` forces one kind of plan. */
const pagesBefore = 7;

let db: Database;
let schema: { url: string; drop: () => Promise<void> };

beforeAll(async () => {
  schema = await anEmptySchema(inject("serverUrl"));
  db = connect();
  await makeWeeksOfEvents(db, weeks);
  // After each analyze of a partition PostgreSQL would plan the statement again, which touches all of them.
  await stopAutovacuum(db, "events");
});

afterAll(async () => {
  await db.close();
  await schema.drop();
});

/** One connection, because each connection has its own plans. */
function connect(): Database {
  return openDatabase({ url: schema.url, poolSize: 1, applicationName: "postern-test", onIdleError: () => undefined });
}

interface Page {
  type?: EventType | undefined;
  offset?: number;
  limit?: number;
}

function read(accountId: string, { type, offset = 0, limit = pageSize }: Page = {}, modes: readonly Mode[] = ["live"]) {
  return listEvents(db.forAccount(accountId), modes, { type, limit, offset });
}

async function blocksOfPage(accountId: string, page?: Page): Promise<number> {
  for (let pages = 0; pages < pagesBefore; pages++) await read(accountId, page);
  return touchedBlocks(db, () => read(accountId, page));
}

describe("a page of events in 160 partitions", () => {
  test("reads no entries of the other mode where nearly all are of one account", async () => {
    const accountId = await anAccount(db);
    await manyEvents(db, { accountId, count: 20_000 });
    await change(db, "analyze events");
    for (const type of [undefined, "Delivery"] as const) {
      expect(await blocksOfPage(accountId, { type })).toBeLessThanOrEqual(160);
    }
    for (const type of [undefined, "Delivery"] as const) {
      expect(await touchedBlocks(db, () => read(accountId, { type }, ["live", "test"]))).toBeLessThanOrEqual(160);
      expect(await touchedBlocks(db, () => read(accountId, { type }, ["test"]))).toBeLessThanOrEqual(160);
    }
  });

  test("touches one index in each partition of the months that it needs, and plans nothing", async () => {
    const accountId = await anAccount(db);
    await repeatEvents(db, { accountId, count: 120, daysBetween: 8 });
    await change(db, "analyze events");
    expect((await read(accountId)).events).toHaveLength(pageSize);
    // 60 partitions of 14 months, and 50 events, each on another block.
    for (const type of [undefined, "Delivery"] as const) {
      expect(await blocksOfPage(accountId, { type })).toBeLessThanOrEqual(200);
    }
  });

  test("does not open the partitions of months without events", async () => {
    const accountId = await anAccount(db);
    await repeatEvents(db, { accountId, count: 3, daysBetween: 450 });
    expect((await read(accountId)).events).toHaveLength(3);
    expect(await blocksOfPage(accountId)).toBeLessThanOrEqual(50);
    expect(await blocksOfPage(accountId, { type: "Bounce" })).toBeLessThanOrEqual(10);
  });

  test("reads its own entries of an account that grew since the statement was planned", async () => {
    const accountId = await anAccount(db);
    await read(accountId);
    await manyEvents(db, { accountId, count: 20_000 });
    expect((await read(accountId)).events).toHaveLength(pageSize);
    for (const type of [undefined, "Delivery", "Complaint"] as const) {
      expect(await blocksOfPage(accountId, { type })).toBeLessThanOrEqual(160);
    }
  });
});

describe("pages of an account with events in some months", () => {
  let accountId: string;

  /** Months of 37 events and months of none, at the bounds of months and weeks, and outside of all partitions. */
  beforeAll(async () => {
    accountId = await anAccount(db);
    for (const [index, monthsAgo] of [40, 39, 36, 35, 34, 20, 7, 6, 1, 0].entries()) {
      await change(
        db,
        `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
         select new_id_at(at), gen_random_uuid(), $1, mode, case when n % 9 = 0 then 'Bounce' else 'Delivery' end, at, 'jane@example.test'
         from (values ('live', 36), ('test', $3::integer)) as stored (mode, count)
         cross join lateral generate_series(0, count) as n
         cross join lateral (
           select date_trunc('month', now(), 'UTC') - make_interval(months => $2) + n * interval '20 hours' - interval '1 ms' * (n % 2) as at
         ) as moment`,
        [accountId, monthsAgo, index],
      );
      if (index === 4) await foldListChanges(db, 100_000);
    }
    const { total } = await read(accountId);
    expect(total).toBe(370);
  });

  test.for([[["live"]], [["live", "test"]], [["test"]]] as [Mode[]][])(
    "of %s are exact at every offset",
    async ([modes]) => {
      for (const type of [undefined, "Bounce"] as const) {
        const stored = await change(
          db,
          `select id from events where account_id = $1 and mode = any ($2) and ($3::text is null or event_type = $3) order by id desc`,
          [accountId, modes, type ?? null],
        );
        const ids = stored.map(({ id }) => id);
        for (let offset = 0; offset <= ids.length + 10; offset += 10) {
          const { total, events } = await read(accountId, { type, offset, limit: 30 }, modes);
          expect(total).toBe(ids.length);
          expect(events.map(({ id }) => id)).toEqual(ids.slice(offset, offset + 30));
        }
      }
    },
  );

  test("have the total of their own snapshot while events arrive in months that had none", async () => {
    const writer = connect();
    let arrived = 0;
    const writing = new AbortController();
    const writes = (async () => {
      for (; !writing.signal.aborted && arrived < 500; arrived++) {
        await change(
          writer,
          `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
           select new_id_at(at), $1, $1, 'live', 'Delivery', at, 'late@example.test'
           from (select now() - make_interval(months => 8 + $2::integer % 12) as at) as moment`,
          [accountId, arrived],
        );
      }
    })();
    try {
      for (let page = 0; page < 40; page++) {
        const { total, events } = await read(accountId, { limit: 1_000 });
        expect(events).toHaveLength(total);
      }
    } finally {
      writing.abort();
      await writes;
      await writer.close();
    }
    expect(arrived).toBeGreaterThan(0);
  });
});
