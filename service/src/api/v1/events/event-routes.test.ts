import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { anEvent, manyEvents } from "../../../../test/event-builders.ts";
import { aQueuedSend } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { foldListChanges } from "../../../db/list-counts.ts";
import type { EventType } from "../../../events/event-store.ts";

const api = useTestApi();

interface EventList {
  events: { id: string; email_id: string; event_type: EventType; recipient: string }[];
  pagination: { page: number; limit: number; total: number; total_pages: number; next_before?: string | null };
}

function aConsumer() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

function events({ accessToken }: { accessToken: string }, query = "") {
  return api.call({ method: "GET", path: `/api/v1/events${query}`, token: accessToken });
}

async function listed(reader: { accessToken: string }, query = ""): Promise<EventList> {
  const response = await events(reader, query);
  expect(response.status).toBe(200);
  return response.json().data;
}

function idsOf({ events: list }: EventList): string[] {
  return list.map(({ id }) => id);
}

/** Of a send accepted before all events of these tests. */
function anOldSendId(): string {
  return `019a0000-0000-7000-8000-${randomBytes(6).toString("hex")}`;
}

/** Oldest first, a second apart. */
async function someEvents(accountId: string, count: number, type: EventType = "Delivery"): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const at = new Date(Date.UTC(2026, 10, 15) + n * 1000).toISOString();
    ids.push(await anEvent(api.database.db, { accountId, type, at }));
  }
  return ids;
}

describe("GET /api/v1/events answers 200", () => {
  test("with success, data.events and data.pagination and nothing else", async () => {
    const reader = await aConsumer();
    await someEvents(reader.accountId, 2);
    const answer = (await events(reader)).json();
    expect(answer).toEqual({
      success: true,
      data: {
        events: [expect.any(Object), expect.any(Object)],
        pagination: { page: 1, limit: 50, total: 2, total_pages: 1 },
      },
    });
  });

  test("with an empty list for an account without events", async () => {
    expect(await listed(await aConsumer())).toEqual({
      events: [],
      pagination: { page: 1, limit: 50, total: 0, total_pages: 0 },
    });
  });

  test("with the newest first", async () => {
    const reader = await aConsumer();
    const ids = await someEvents(reader.accountId, 5);
    expect(idsOf(await listed(reader))).toEqual(ids.toReversed());
  });

  const common = {
    id: expect.any(String),
    email_id: expect.any(String),
    event_timestamp: "2026-11-15T09:30:00.123Z",
    recipient: "jane@example.test",
  };
  const at = common.event_timestamp;
  const { recipient } = common;

  test.each([
    ["Delivery", {}, {}],
    [
      "Bounce",
      { bounceType: "Permanent", bounceSubtype: "NoEmail" },
      { bounce_type: "Permanent", bounce_subtype: "NoEmail" },
    ],
    [
      "Bounce",
      { bounceType: "Transient", bounceSubtype: "General" },
      { bounce_type: "Transient", bounce_subtype: "General" },
    ],
    ["Complaint", { complaintType: "abuse" }, { complaint_type: "abuse" }],
    ["Complaint", {}, {}],
    ["Suppression", {}, { suppression_reason: "hard_bounce", suppressed_at: "2026-11-01T00:00:00.000Z" }],
  ] as const)("with exactly the fields of a %s event", async (type, given, shown) => {
    const reader = await aConsumer();
    await anEvent(api.database.db, { accountId: reader.accountId, type, at, recipient, ...given });
    expect((await listed(reader)).events).toEqual([{ ...common, event_type: type, ...shown }]);
  });

  test("with the event of a send whose email_id leads to the record of the send", async () => {
    const reader = await aConsumer();
    const sendId = await aQueuedSend(api.database.db, { accountId: reader.accountId });
    await anEvent(api.database.db, { accountId: reader.accountId, sendId });
    const [event] = (await listed(reader)).events;
    const path = `/api/v1/send/${event?.email_id}/status`;
    const record = await api.call({ method: "GET", path, token: reader.accessToken });
    expect(record.json().id).toBe(sendId);
  });

  test.each(["Delivery", "Bounce", "Complaint", "Suppression"] as const)(
    "with events of type %s and their total only, when they are asked for",
    async (type) => {
      const reader = await aConsumer();
      for (const each of ["Delivery", "Bounce", "Complaint", "Suppression"] as const) {
        await someEvents(reader.accountId, each === type ? 3 : 2, each);
      }
      const list = await listed(reader, `?type=${type}&limit=2`);
      expect(list.events.map((event) => event.event_type)).toEqual([type, type]);
      expect(list.pagination).toEqual({ page: 1, limit: 2, total: 3, total_pages: 2 });
      expect((await listed(reader)).pagination.total).toBe(9);
    },
  );

  test("with 50 unless a limit is given, and up to 100", async () => {
    const reader = await aConsumer();
    await manyEvents(api.database.db, { accountId: reader.accountId, count: 120 });
    const counts = [];
    for (const query of ["", "?limit=1", "?limit=100"]) counts.push((await listed(reader, query)).events.length);
    expect(counts).toEqual([50, 1, 100]);
    expect((await listed(reader, "?limit=100")).pagination).toEqual({
      page: 1,
      limit: 100,
      total: 120,
      total_pages: 2,
    });
  });

  test("with pages that together are the list, and an empty one behind the last", async () => {
    const reader = await aConsumer();
    const ids = await someEvents(reader.accountId, 7);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await listed(reader, `?limit=3&page=${page}`));
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
    expect(pages.map((page) => page.events.length)).toEqual([3, 3, 1, 0]);
    expect(pages[3]?.pagination).toEqual({ page: 4, limit: 3, total: 7, total_pages: 3 });
  });

  test("with nothing of another account, in no way of asking", async () => {
    const [reader, other] = [await aConsumer(), await aConsumer()];
    const sendId = anOldSendId();
    const id = await anEvent(api.database.db, { accountId: other.accountId, sendId, recipient: "jane@example.test" });
    const queries = [
      "",
      "?type=Delivery",
      `?email_id=${sendId}`,
      "?recipient=jane%40example.test",
      "?since=2020-01-01T00:00:00Z",
    ];
    for (const query of queries) {
      expect(idsOf(await listed(reader, query))).toEqual([]);
      expect(idsOf(await listed(other, query))).toEqual([id]);
    }
    expect((await listed(reader)).pagination.total).toBe(0);
  });

  test("with live events, and with test events and their total for ?mode=test", async () => {
    const reader = await aConsumer();
    const live = await anEvent(api.database.db, { accountId: reader.accountId });
    const tried = await anEvent(api.database.db, { accountId: reader.accountId, mode: "test" });
    const again = await anEvent(api.database.db, { accountId: reader.accountId, mode: "test" });
    const inTest = await listed(reader, "?mode=test");
    expect(idsOf(inTest).toSorted()).toEqual([tried, again].toSorted());
    expect(inTest.pagination.total).toBe(2);
    expect(idsOf(await listed(reader))).toEqual([live]);
    expect(idsOf(await listed(reader, "?mode=live"))).toEqual([live]);
    expect(idsOf(await listed(reader, "?mode=test&since=2020-01-01T00:00:00Z"))).toHaveLength(2);
  });
});

describe("GET /api/v1/events reads on with a cursor", () => {
  test("from an event on, until next_before is null, without a page or a total", async () => {
    const reader = await aConsumer();
    const ids = await someEvents(reader.accountId, 7);
    const newest = idsOf(await listed(reader, "?limit=2"));
    const read = [...newest];
    let before: string | null | undefined = newest.at(-1);
    while (typeof before === "string") {
      const list: EventList = await listed(reader, `?limit=2&before=${before}`);
      expect(Object.keys(list.pagination)).toEqual(["limit", "next_before"]);
      read.push(...idsOf(list));
      before = list.pagination.next_before;
    }
    expect(read).toEqual(ids.toReversed());
    expect(before).toBeNull();
  });

  test("and a cursor does not move when newer events come", async () => {
    const reader = await aConsumer();
    const ids = await someEvents(reader.accountId, 4);
    await anEvent(api.database.db, { accountId: reader.accountId });
    expect(idsOf(await listed(reader, `?limit=2&before=${ids[2]}`))).toEqual([ids[1], ids[0]]);
  });

  test("with the events of a send, of a recipient however written, and of a time", async () => {
    const reader = await aConsumer();
    const { accountId } = reader;
    const sendId = anOldSendId();
    await someEvents(accountId, 3);
    const one = await anEvent(api.database.db, {
      accountId,
      sendId,
      type: "Bounce",
      at: "2026-11-16T10:00:00.000Z",
      recipient: "jane@xn--exmple-cua.test",
    });
    const two = await anEvent(api.database.db, { accountId, sendId, at: "2026-11-16T10:00:00.001Z" });
    const found = async (query: string) => idsOf(await listed(reader, query));
    expect(await found(`?email_id=${sendId}`)).toEqual([two, one]);
    expect(await found(`?email_id=${sendId}&type=Bounce`)).toEqual([one]);
    expect(await found(`?email_id=${sendId}&before=${two}`)).toEqual([one]);
    expect(await found(`?recipient=${encodeURIComponent("Jane@Exämple.test")}`)).toEqual([one]);
    expect(await found(`?recipient=${encodeURIComponent("jane@xn--exmple-cua.test")}&type=Delivery`)).toEqual([]);
    expect(await found("?since=2026-11-16T10:00:00.000Z&until=2026-11-16T10:00:00.001Z")).toEqual([one]);
    expect(await found("?since=2026-11-16T11:00:00.001%2B01:00")).toEqual([two]);
  });

  test("and looks at 10,000 events at most for a recipient, then tells where to go on", async () => {
    const reader = await aConsumer();
    const { accountId } = reader;
    const rare = await anEvent(api.database.db, { accountId, recipient: "rare@example.test" });
    await change(api.database.db, "select pg_sleep(0.002)");
    const at = "2026-11-01T00:00:00.000Z";
    const old = await anEvent(api.database.db, { accountId, recipient: "rare@example.test", at });
    await manyEvents(api.database.db, { accountId, count: 10_500 });
    const first = await listed(reader, "?recipient=rare%40example.test");
    expect(first.events.length).toBeLessThan(2);
    expect(first.pagination.next_before).toEqual(expect.any(String));
    const second = await listed(reader, `?recipient=rare%40example.test&before=${first.pagination.next_before}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual([rare, old]);
    expect(second.pagination.next_before).toBeNull();
  });
});

describe("GET /api/v1/events keeps an exact total", () => {
  test("while events are inserted and folded by many at once", async () => {
    const reader = await aConsumer();
    const { accountId } = reader;
    const seen: number[] = [];
    const writers = Array.from({ length: 4 }, async (_, number) => {
      const type = number % 2 === 0 ? "Delivery" : "Bounce";
      for (let n = 0; n < 10; n++) await manyEvents(api.database.db, { accountId, count: 3, type });
    });
    const folders = Array.from({ length: 2 }, async () => {
      for (let n = 0; n < 20; n++) await foldListChanges(api.database.db, 3);
    });
    const looking = (async () => {
      for (let n = 0; n < 15; n++) {
        const list = await listed(reader, "?limit=100");
        seen.push(list.pagination.total);
        // Of the same moment as the page: up to its limit nothing is missing.
        if (list.pagination.total <= 100) expect(list.events).toHaveLength(list.pagination.total);
      }
    })();
    await Promise.all([...writers, ...folders, looking]);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect((await listed(reader)).pagination.total).toBe(120);
    while ((await foldListChanges(api.database.db, 1000)) > 0);
    expect((await listed(reader)).pagination.total).toBe(120);
    expect((await listed(reader, "?type=Bounce")).pagination.total).toBe(60);
    const rows = await change(
      api.database.db,
      "select list, count from list_counts where account_id = $1 order by list",
      [accountId],
    );
    expect(rows).toEqual([
      { list: "Bounce", count: 60 },
      { list: "Delivery", count: 60 },
    ]);
  });

  test("when the same event is told twice", async () => {
    const reader = await aConsumer();
    const id = await anEvent(api.database.db, { accountId: reader.accountId });
    await change(
      api.database.db,
      `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
       values ($1, $1, $2, 'live', 'Delivery', now(), 'a@b.test')
       on conflict (id) do nothing`,
      [id, reader.accountId],
    );
    expect((await listed(reader)).pagination.total).toBe(1);
  });
});

describe("GET /api/v1/events answers 401", () => {
  test("without a credential, with a bad one, and to an API key, which it does not take", async () => {
    const reader = await aConsumer();
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, reader.accountId);
    const path = "/api/v1/events";
    const answers = [
      await api.call({ method: "GET", path }),
      await api.call({ method: "GET", path, token: `${reader.accessToken.slice(0, -4)}AAAA` }),
      await api.call({ method: "GET", path, key }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401]);
  });
});

describe("GET /api/v1/events answers 422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=ten", "limit"],
    ["limit=", "limit"],
    ["limit=1e1", "limit"],
    ["limit=5&limit=6", "limit"],
    ["page=0", "page"],
    ["page=-1", "page"],
    ["page=x", "page"],
    ["page=99999999999999999999", "page"],
    ["type=delivery", "type"],
    ["type=Open", "type"],
    ["mode=staging", "mode"],
    ["before=newest", "before"],
    ["email_id=1", "email_id"],
    ["since=yesterday", "since"],
    ["since=2026-11-15", "since"],
    ["until=1969-12-31T23:59:59Z", "until"],
    ["recipient=", "recipient"],
    ["recipient=a%00b", "recipient"],
    ["page=2&recipient=a%40b.test", "page"],
    ["page=1&before=01a1ddd0-0000-7000-8000-000000000000", "page"],
    ["event_type=Bounce", "event_type"],
  ])("to ?%s, naming the parameter", async (query, field) => {
    const response = await events(await aConsumer(), `?${query}`);
    expect(response.status).toBe(422);
    expect(response.json().error.details[0].field).toBe(field);
  });

  test("to a page beyond the newest 100,000, naming before as the way on", async () => {
    const reader = await aConsumer();
    expect((await events(reader, "?limit=100&page=1000")).status).toBe(200);
    const response = await events(reader, "?limit=100&page=1001");
    expect(response.status).toBe(422);
    expect(response.json().error.message).toMatch(/page must be at most 1000 .* before/);
  });
});
