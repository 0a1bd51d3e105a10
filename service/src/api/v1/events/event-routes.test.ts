import { describe, expect, test } from "vitest";
import { anApiKey } from "../../../../test/builders.ts";
import { anEvent, manyEvents } from "../../../../test/event-builders.ts";
import { aQueuedSend } from "../../../../test/send-builders.ts";
import { anOldSendId, idsOf, useEventList } from "../../../../test/use-event-list.ts";

const { api, aSession, events, listed, someEvents } = useEventList();

describe("GET /api/v1/events returns 200", () => {
  test("with exactly success, data.events and data.pagination", async () => {
    const session = await aSession();
    await someEvents(session.accountId, 2);
    const body = (await events(session)).json();
    expect(body).toEqual({
      success: true,
      data: {
        events: [expect.any(Object), expect.any(Object)],
        pagination: { page: 1, limit: 50, total: 2, total_pages: 1 },
      },
    });
  });

  test("with an empty list for an account without events", async () => {
    expect(await listed(await aSession())).toEqual({
      events: [],
      pagination: { page: 1, limit: 50, total: 0, total_pages: 0 },
    });
  });

  test("with the newest event first", async () => {
    const session = await aSession();
    const ids = await someEvents(session.accountId, 5);
    expect(idsOf(await listed(session))).toEqual(ids.toReversed());
  });

  const common = {
    id: expect.any(String),
    email_id: expect.any(String),
    event_timestamp: "2026-11-15T09:30:00.123Z",
    recipient: "jane@example.test",
    mode: "live",
  };
  const at = common.event_timestamp;
  const { recipient } = common;

  test.each([
    ["Delivery", {}, {}],
    [
      "Delivery",
      { reply: "250 2.0.0 OK", reportingMta: "a8.amazonses.com", durationMs: 1200 },
      { smtp_response: "250 2.0.0 OK", reporting_mta: "a8.amazonses.com", duration_ms: 1200 },
    ],
    [
      "Bounce",
      {
        bounceType: "Permanent",
        bounceSubtype: "General",
        replyStatus: "5.1.1",
        reply: "smtp; 550 5.1.1 user unknown",
        reportingMta: "dns; mx.example.test",
      },
      {
        bounce_type: "Permanent",
        bounce_subtype: "General",
        bounce_status: "5.1.1",
        diagnostic: "smtp; 550 5.1.1 user unknown",
        reporting_mta: "dns; mx.example.test",
        explanation: {
          cause: "unknown-mailbox",
          meaning: "The mailbox does not exist.",
          next_step: "The address is now suppressed. Correct it in your data.",
        },
      },
    ],
    [
      "Bounce",
      { bounceType: "Transient", bounceSubtype: "MailboxFull" },
      {
        bounce_type: "Transient",
        bounce_subtype: "MailboxFull",
        explanation: {
          cause: "mailbox-full",
          meaning: "The mailbox is full.",
          next_step: "Send the mail again when the recipient has made room.",
        },
      },
    ],
    ["Complaint", { complaintType: "abuse" }, { complaint_type: "abuse" }],
    ["Complaint", {}, {}],
    ["Suppression", {}, { suppression_reason: "hard_bounce", suppressed_at: "2026-11-01T00:00:00.000Z" }],
  ] as const)("with exactly the fields of a %s event", async (type, given, shown) => {
    const session = await aSession();
    await anEvent(api.database.db, { accountId: session.accountId, type, at, recipient, ...given });
    expect((await listed(session)).events).toEqual([{ ...common, event_type: type, ...shown }]);
  });

  test("with an email_id that GET /api/v1/send/:id/status accepts", async () => {
    const session = await aSession();
    const sendId = await aQueuedSend(api.database.db, { accountId: session.accountId });
    await anEvent(api.database.db, { accountId: session.accountId, sendId });
    const [event] = (await listed(session)).events;
    const path = `/api/v1/send/${event?.email_id}/status`;
    const record = await api.call({ method: "GET", path, token: session.accessToken });
    expect(record.json().id).toBe(sendId);
  });

  test.each(["Delivery", "Bounce", "Complaint", "Suppression"] as const)(
    "with only the events of type %s and their total when the caller requests that type",
    async (type) => {
      const session = await aSession();
      for (const each of ["Delivery", "Bounce", "Complaint", "Suppression"] as const) {
        await someEvents(session.accountId, each === type ? 3 : 2, each);
      }
      const list = await listed(session, `?type=${type}&limit=2`);
      expect(list.events.map((event) => event.event_type)).toEqual([type, type]);
      expect(list.pagination).toEqual({ page: 1, limit: 2, total: 3, total_pages: 2 });
      expect((await listed(session)).pagination.total).toBe(9);
    },
  );

  test("with 50 events by default, and with up to 100 when the caller sets a limit", async () => {
    const session = await aSession();
    await manyEvents(api.database.db, { accountId: session.accountId, count: 120 });
    const counts = [];
    for (const query of ["", "?limit=1", "?limit=100"]) counts.push((await listed(session, query)).events.length);
    expect(counts).toEqual([50, 1, 100]);
    expect((await listed(session, "?limit=100")).pagination).toEqual({
      page: 1,
      limit: 100,
      total: 120,
      total_pages: 2,
    });
  });

  test("with pages that together form the list, and with an empty page after the last", async () => {
    const session = await aSession();
    const ids = await someEvents(session.accountId, 7);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await listed(session, `?limit=3&page=${page}`));
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
    expect(pages.map((page) => page.events.length)).toEqual([3, 3, 1, 0]);
    expect(pages[3]?.pagination).toEqual({ page: 4, limit: 3, total: 7, total_pages: 3 });
  });

  test("without events of another account, for every kind of query", async () => {
    const [session, other] = [await aSession(), await aSession()];
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
      expect(idsOf(await listed(session, query))).toEqual([]);
      expect(idsOf(await listed(other, query))).toEqual([id]);
    }
    expect((await listed(session)).pagination.total).toBe(0);
  });

  test("with the events of both modes and their total, or only with those of the mode in the query", async () => {
    const session = await aSession();
    const live = await anEvent(api.database.db, { accountId: session.accountId });
    const first = await anEvent(api.database.db, { accountId: session.accountId, mode: "test" });
    const second = await anEvent(api.database.db, { accountId: session.accountId, mode: "test" });
    const inTest = await listed(session, "?mode=test");
    expect(idsOf(inTest).toSorted()).toEqual([first, second].toSorted());
    expect(inTest.pagination.total).toBe(2);
    expect(idsOf(await listed(session, "?mode=live"))).toEqual([live]);
    expect(idsOf(await listed(session, "?mode=test&since=2020-01-01T00:00:00Z"))).toHaveLength(2);
    const inOrder = [live, first, second].toSorted().toReversed();
    for (const query of ["", "?type=Delivery", "?since=2020-01-01T00:00:00Z"]) {
      const { events: list } = await listed(session, query);
      expect(list.map(({ id, mode }) => [id, mode])).toEqual(inOrder.map((id) => [id, id === live ? "live" : "test"]));
    }
    expect((await listed(session)).pagination.total).toBe(3);
    const pages = [await listed(session, "?limit=2"), await listed(session, "?limit=2&page=2")];
    expect(pages.flatMap(idsOf)).toEqual(inOrder);
  });

  test("with every page that total_pages announces", async () => {
    const session = await aSession();
    const { accountId } = session;
    for (const mode of ["live", "test"] as const) {
      await manyEvents(api.database.db, { accountId, mode, count: 6_000 });
    }
    const { pagination } = await listed(session, "?limit=100");
    expect(pagination).toMatchObject({ total: 12_000, total_pages: 120 });
    const read = new Set<string>();
    for (const page of [101, 102, 103, 119, 120]) {
      const { events: list } = await listed(session, `?limit=100&page=${page}`);
      expect(idsOf({ events: list, pagination })).toEqual(
        list
          .map(({ id }) => id)
          .toSorted()
          .toReversed(),
      );
      for (const { id } of list) read.add(id);
    }
    expect(read.size).toBe(500);
    expect((await listed(session, "?limit=100&page=121")).events).toEqual([]);
    expect((await listed(session, "?limit=100&page=999999")).events).toEqual([]);
  });
});

describe("GET /api/v1/events returns 401", () => {
  test("without a credential, with an invalid JWT and with an API key", async () => {
    const session = await aSession();
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, session.accountId);
    const path = "/api/v1/events";
    const responses = [
      await api.call({ method: "GET", path }),
      await api.call({ method: "GET", path, token: `${session.accessToken.slice(0, -4)}AAAA` }),
      await api.call({ method: "GET", path, key }),
    ];
    expect(responses.map((response) => response.status)).toEqual([401, 401, 401]);
  });
});

describe("GET /api/v1/events returns 422", () => {
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
    ["Mode=test", "Mode"],
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
  ])("for ?%s, naming the parameter", async (query, field) => {
    const response = await events(await aSession(), `?${query}`);
    expect(response.status).toBe(422);
    expect(response.json().error.details[0].field).toBe(field);
  });
});
