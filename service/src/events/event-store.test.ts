import { randomUUIDv7 } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anEvent, manyEvents } from "../../test/event-builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { foldListChanges } from "../db/list-counts.ts";
import { findEvents, listEvents } from "./event-store.ts";

const database = useTestDatabase();
const everything = {
  type: undefined,
  sendId: undefined,
  recipient: undefined,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: 50,
};

/** The rows a list may read besides its entries: the counts, and one row per partition to merge them in order. */
const spare = 40;

describe.each([
  ["without statistics", false],
  ["with statistics", true],
])("among 20,000 events, %s,", (_name, isAnalyzed) => {
  let accountId: string;
  const sendId = "019a0000-0000-7000-8000-00000000000a";
  const someSendId = randomUUIDv7();

  beforeAll(async () => {
    const { db } = database;
    await change(db, "truncate events, list_changes, list_counts, list_days");
    accountId = await anAccount(db);
    const [neighbour, at] = [await anAccount(db), "2026-11-01T00:00:00.000Z"];
    for (let n = 0; n < 5; n++) await anEvent(db, { accountId, type: "Complaint", at });
    for (let n = 0; n < 5; n++) await anEvent(db, { accountId, sendId, at });
    await anEvent(db, { accountId, sendId: someSendId });
    for (const owner of [neighbour, accountId]) await manyEvents(db, { accountId: owner, count: 20_000 });
    await foldListChanges(db, 1_000);
    if (isAnalyzed) await change(db, "analyze events");
  });

  const cost = (work: (db: Parameters<typeof listEvents>[0]) => Promise<unknown>) =>
    costOf(database.db.forAccount(accountId), work);

  test("a page reads its own entries and a few counts", async () => {
    const page = await cost((db) => listEvents(db, ["live"], { type: undefined, limit: 50, offset: 0 }));
    expect(page.rowsRead).toBeLessThanOrEqual(50 + spare);
    expect(page.pagesRead).toBeLessThan(300);
    expect(page.scans).not.toContain("Seq Scan on events");
  });

  test("a page of both modes reads its own entries and a few counts, by the index of each mode", async () => {
    const page = await cost((db) => listEvents(db, ["live", "test"], { type: undefined, limit: 50, offset: 0 }));
    expect(page.rowsRead).toBeLessThanOrEqual(50 + 2 * spare);
    const found = await cost((db) => findEvents(db, ["live", "test"], everything));
    expect(found.rowsRead).toBeLessThanOrEqual(51 + 2 * spare);
    for (const { scans } of [page, found]) expect(scans).not.toContain("Seq Scan on events");
  });

  test("a page far back reads its day from the nearer end, by the index alone, and then its own entries", async () => {
    for (const modes of [["live"], ["live", "test"]] as const) {
      for (const type of [undefined, "Delivery"] as const) {
        for (const offset of [15_000, 19_950]) {
          const page = await cost((db) => listEvents(db, modes, { type, limit: 50, offset }));
          expect(page.rowsRead).toBeLessThanOrEqual(20_011 - offset + 50 + 2 * spare);
          expect(page.scans).toContain("Index Only Scan on events");
        }
      }
    }
  });

  test("a page of a rare type reads no event of other types", async () => {
    const page = await cost((db) => listEvents(db, ["live"], { type: "Complaint", limit: 50, offset: 0 }));
    expect(page.rowsRead).toBeLessThanOrEqual(5 + spare);
  });

  test("a page at a large offset reads the entries before it and no more", async () => {
    const page = await cost((db) => listEvents(db, ["live"], { type: undefined, limit: 50, offset: 5_000 }));
    expect(page.rowsRead).toBeLessThanOrEqual(5_050 + spare);
  });

  test("a page from the middle of the list reads only its own entries", async () => {
    const [middle] = await database.db.query<{ id: string }>({
      name: "middle",
      text: "select id from events where account_id = $1 order by id offset 10000 limit 1",
      values: [accountId],
    });
    for (const type of [undefined, "Delivery", "Complaint"] as const) {
      const filter = { ...everything, type, before: middle?.id };
      expect((await cost((db) => findEvents(db, ["live"], filter))).rowsRead).toBeLessThanOrEqual(51 + spare);
    }
  });

  test("the events of a send are found without reading others, for old and new sends", async () => {
    for (const [id, count] of [
      [sendId, 5],
      [someSendId, 1],
      [randomUUIDv7(), 0],
    ] as const) {
      const filter = { ...everything, sendId: id };
      expect((await findEvents(database.db.forAccount(accountId), ["live"], filter)).events).toHaveLength(count);
      const { rowsRead, pagesRead } = await cost((db) => findEvents(db, ["live"], filter));
      expect(rowsRead).toBeLessThanOrEqual(count + spare);
      expect(pagesRead).toBeLessThan(100);
    }
  });

  test("a search by recipient reads 1,000 entries at most, and stops early when it has found enough", async () => {
    const nobody = { ...everything, recipient: "nobody@example.test" };
    const everybody = { ...everything, recipient: "jane@example.test" };
    const first = await findEvents(database.db.forAccount(accountId), ["live"], nobody);
    expect(first).toEqual({ events: [], nextBefore: expect.any(String) });
    expect((await cost((db) => findEvents(db, ["live"], nobody))).rowsRead).toBeLessThanOrEqual(1_000 + spare);
    expect((await cost((db) => findEvents(db, ["live"], everybody))).rowsRead).toBeLessThanOrEqual(60 + spare);
  });

  test("a page before a time is found without reading newer events", async () => {
    const filter = { ...everything, until: "2026-11-02T00:00:00.000Z" };
    expect((await findEvents(database.db.forAccount(accountId), ["live"], filter)).events).toHaveLength(10);
    expect((await cost((db) => findEvents(db, ["live"], filter))).rowsRead).toBeLessThanOrEqual(10 + spare);
  });
});

describe("over many months", () => {
  const months = ["2026-05", "2026-06", "2026-07", "2026-08", "2026-09", "2026-10", "2026-11"];
  let db: ReturnType<typeof database.db.forAccount>;

  beforeAll(async () => {
    await change(database.db, "truncate events, list_changes, list_counts, list_days");
    const accountId = await anAccount(database.db);
    for (const month of months) {
      for (let day = 1; day <= 4; day++) {
        const [type, recipient] = [day === 4 ? "Complaint" : "Delivery", "jane@example.test"] as const;
        await anEvent(database.db, { accountId, type, recipient, at: `${month}-0${day}T12:00:00.000Z` });
      }
    }
    db = database.db.forAccount(accountId);
  });

  test.each([false, true])("pages are complete and in order at every offset (counts folded: %s)", async (isFolded) => {
    if (isFolded) await foldListChanges(database.db, 1_000);
    for (const type of [undefined, "Delivery", "Complaint"] as const) {
      const whole = (await listEvents(db, ["live"], { type, limit: 100, offset: 0 })).events.map(({ at }) => at);
      expect(whole).toEqual(whole.toSorted().toReversed());
      expect(whole).toHaveLength({ Delivery: 21, Complaint: 7, all: 28 }[type ?? "all"]);
      for (let offset = 0; offset <= whole.length; offset++) {
        const { total, events } = await listEvents(db, ["live"], { type, limit: 5, offset });
        expect({ total, at: events.map(({ at }) => at) }).toEqual({
          total: whole.length,
          at: whole.slice(offset, offset + 5),
        });
      }
    }
  });

  test("a page far back is exact at every offset, whether the counts are folded, kept in changes, or known only per month", async () => {
    const { db: owner } = database;
    const accountId = await anAccount(owner);
    const account = owner.forAccount(accountId);
    for (const [index, month] of months.entries()) {
      for (const mode of ["live", "test"] as const) {
        for (const type of ["Delivery", "Bounce"] as const) {
          await change(
            owner,
            `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
             select new_id_at(at), gen_random_uuid(), $1, $2, $3, at, 'jane@example.test'
             from (select $4::timestamptz + n * interval '37 minutes' as at from generate_series(1, $5::integer) as n) as times`,
            [accountId, mode, type, `${month}-01T00:00:00Z`, 900 + 31 * index],
          );
        }
      }
      // The first months are known per month only, the next are folded, and the last are still changes.
      if (index === 1) {
        await foldListChanges(owner, 100_000);
        await change(owner, "delete from list_days where account_id = $1", [accountId]);
      }
      if (index === 4) await foldListChanges(owner, 100_000);
    }
    for (const modes of [["live", "test"], ["test"]] as const) {
      for (const type of [undefined, "Bounce"] as const) {
        const all = await change(
          owner,
          `select id from events where account_id = $1 and mode = any ($2) and ($3::text is null or event_type = $3) order by id desc`,
          [accountId, modes, type ?? null],
        );
        const wanted = all.map(({ id }) => id);
        for (let offset = 10_001; offset < wanted.length + 40; offset += 397) {
          const { total, events } = await listEvents(account, modes, { type, limit: 40, offset });
          expect(total).toBe(wanted.length);
          expect(events.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + 40));
        }
      }
    }
  });

  test("paging reaches every event, from the newest and from a given time", async () => {
    const read = async (until: string | undefined, recipient: string | undefined) => {
      const found: string[] = [];
      let before: string | undefined;
      do {
        const page = await findEvents(db, ["live"], { ...everything, limit: 3, before, until, recipient });
        found.push(...page.events.map(({ at }) => at));
        before = page.nextBefore;
      } while (before !== undefined);
      return found.length;
    };
    expect(await read(undefined, undefined)).toBe(28);
    expect(await read("2026-08-03T00:00:00.000Z", undefined)).toBe(14);
    expect(await read(undefined, "jane@example.test")).toBe(28);
  });

  test("an event that is missing from the counts is still on the page", async () => {
    await change(database.db, "delete from list_counts where month < '2026-07-01'");
    await change(
      database.db,
      "insert into list_counts (account_id, mode, list, month, count) values ($1, 'live', 'Delivery', '2026-11-01', 8)" +
        " on conflict (account_id, mode, list, month) do update set count = list_counts.count + 8",
      [db.accountId],
    );
    expect((await listEvents(db, ["live"], { type: undefined, limit: 28, offset: 0 })).events).toHaveLength(28);
  });

  test("a page that the counts promise but the table lacks is scanned for by offset only up to 100,000 entries", async () => {
    const accountId = await anAccount(database.db);
    await anEvent(database.db, { accountId });
    await change(
      database.db,
      "insert into list_counts (account_id, mode, list, month, count) values ($1, 'live', 'Delivery', '2026-11-01', 300000)",
      [accountId],
    );
    const statements: string[] = [];
    const account = database.db.forAccount(accountId);
    const recording: typeof account = {
      ...account,
      query(statement) {
        statements.push(statement.name);
        return account.query(statement);
      },
    };
    const read = async (offset: number) => {
      const { events } = await listEvents(recording, ["live"], { type: undefined, limit: 10, offset });
      expect(events).toEqual([]);
      return statements.splice(0);
    };
    expect(await read(100_000)).toContain("list-events");
    expect(await read(100_001)).not.toContain("list-events");
  });
});
