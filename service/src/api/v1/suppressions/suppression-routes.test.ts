import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { foldListChanges } from "../../../db/list-counts.ts";
import type { Mode } from "../../../mode.ts";

const api = useTestApi();

interface SuppressionList {
  data: { id: string; email: string; reason: string; suppressed_at: string; mode: string }[];
  pagination: { page: number; limit: number; total: number; total_pages: number; next_before?: string | null };
}

function aSession() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

type Session = Awaited<ReturnType<typeof aSession>>;

async function listed({ accessToken }: Session, query = ""): Promise<SuppressionList> {
  const response = await api.call({ method: "GET", path: `/api/v1/suppression${query}`, token: accessToken });
  expect(response.status).toBe(200);
  return response.json();
}

function remove({ accessToken }: Session, email: string, query = "") {
  const path = `/api/v1/suppression/${encodeURIComponent(email)}${query}`;
  return api.call({ method: "DELETE", path, token: accessToken });
}

function emailsOf({ data }: SuppressionList): string[] {
  return data.map(({ email }) => email);
}

/** Suppresses `person-0@x.test` first and each next address a millisecond later. */
async function someSuppressions(accountId: string, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, number) => `person-${number}@x.test`);
  await change(
    api.database.db,
    `insert into suppressions (id, account_id, mode, email, reason, suppressed_at)
     select new_id_at(at), $1, 'live', email, 'complaint', at
     from unnest($2::text[]) with ordinality as e (email, position),
       lateral (select timestamptz '2026-11-15Z' + position * interval '1 ms' as at) as times`,
    [accountId, emails],
  );
  return emails;
}

function removalsOf(email: string) {
  return change(api.database.db, "select email, tries from suppression_removals where email = $1", [email]);
}

describe("GET /api/v1/suppression returns 200", () => {
  test("with success, data and pagination at the top level, and all fields of an entry", async () => {
    const session = await aSession();
    await someSuppressions(session.accountId, 1);
    expect(await listed(session)).toEqual({
      success: true,
      data: [
        {
          id: expect.any(String),
          email: "person-0@x.test",
          reason: "complaint",
          suppressed_at: "2026-11-15T00:00:00.001Z",
          email_id: null,
          note: null,
          mode: "live",
        },
      ],
      pagination: { page: 1, limit: 50, total: 1, total_pages: 1 },
    });
  });

  test("with an empty list for an account without suppressions", async () => {
    expect(await listed(await aSession())).toEqual({
      success: true,
      data: [],
      pagination: { page: 1, limit: 50, total: 0, total_pages: 0 },
    });
  });

  test("with the newest entry first, in pages that together form the list", async () => {
    const session = await aSession();
    const emails = await someSuppressions(session.accountId, 7);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await listed(session, `?limit=3&page=${page}`));
    expect(pages.flatMap(emailsOf)).toEqual(emails.toReversed());
    expect(pages[3]?.pagination).toEqual({ page: 4, limit: 3, total: 7, total_pages: 3 });
  });

  test("with 50 entries by default, and with up to 100 when the caller sets a limit", async () => {
    const session = await aSession();
    await someSuppressions(session.accountId, 120);
    const counts = [];
    for (const query of ["", "?limit=1", "?limit=100"]) counts.push((await listed(session, query)).data.length);
    expect(counts).toEqual([50, 1, 100]);
  });

  test("with 100 entries for a larger limit, which pagination.limit says", async () => {
    const session = await aSession();
    await someSuppressions(session.accountId, 120);
    const [first, second] = [await listed(session, "?limit=1000"), await listed(session, "?limit=1000&page=2")];
    expect([first.data.length, second.data.length]).toEqual([100, 20]);
    expect(first.pagination).toEqual({ page: 1, limit: 100, total: 120, total_pages: 2 });
  });

  test("with the entries after before, until next_before is null, even when that entry was removed", async () => {
    const session = await aSession();
    const emails = await someSuppressions(session.accountId, 5);
    const first = await listed(session, "?limit=2");
    await remove(session, emails[3] ?? "");
    const second = await listed(session, `?limit=2&before=${first.data[1]?.id}`);
    expect(Object.keys(second.pagination)).toEqual(["limit", "next_before"]);
    const third = await listed(session, `?limit=2&before=${second.pagination.next_before}`);
    expect([first, second, third].flatMap(emailsOf)).toEqual(emails.toReversed());
    expect(third.pagination.next_before).toBeNull();
  });

  test("without entries of another account", async () => {
    const [session, other] = [await aSession(), await aSession()];
    await someSuppressions(other.accountId, 2);
    expect((await listed(session)).pagination.total).toBe(0);
    expect(await listed(session, "?before=ffffffff-ffff-7fff-bfff-ffffffffffff")).toMatchObject({ data: [] });
  });

  test("with the entries of both modes and their total, or only with those of the mode in the query", async () => {
    const session = await aSession();
    for (const mode of ["live", "test"] as Mode[]) {
      await aSuppression(api.database.db, { accountId: session.accountId, email: `${mode}@x.test`, mode });
    }
    const { data, pagination } = await listed(session);
    expect(data.map(({ email, mode }) => `${mode} ${email}`).toSorted()).toEqual([
      "live live@x.test",
      "test test@x.test",
    ]);
    expect(data.map(({ id }) => id)).toEqual(
      data
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(pagination.total).toBe(2);
    expect(await listed(session, "?before=ffffffff-ffff-7fff-bfff-ffffffffffff")).toMatchObject({ data });
    expect(emailsOf(await listed(session, "?mode=live"))).toEqual(["live@x.test"]);
    expect(emailsOf(await listed(session, "?mode=test"))).toEqual(["test@x.test"]);
  });

  test("with every page that total_pages announces", async () => {
    const session = await aSession();
    await someSuppressions(session.accountId, 11_000);
    await change(
      api.database.db,
      `insert into suppressions (id, account_id, mode, email, reason, suppressed_at)
       select new_id_at(suppressed_at), account_id, 'test', email, reason, suppressed_at
       from suppressions
       where account_id = $1`,
      [session.accountId],
    );
    const first = await listed(session, "?limit=100");
    expect(first.pagination).toMatchObject({ total: 22_000, total_pages: 220 });
    const positionsOf = ({ data }: SuppressionList) => data.map(({ email }) => Number(/\d+/.exec(email)?.[0]));
    const expected = (page: number) =>
      Array.from({ length: 100 }, (_, index) => 10_999 - Math.floor(((page - 1) * 100 + index) / 2));
    for (const page of [1, 101, 102, 110, 111, 112, 219, 220]) {
      const list = await listed(session, `?limit=100&page=${page}`);
      expect(positionsOf(list), `page ${page}`).toEqual(expected(page));
      expect(new Set(list.data.map(({ id }) => id)).size).toBe(100);
    }
    expect((await listed(session, "?limit=100&page=221")).data).toEqual([]);
  });

  test("with an exact total while concurrent requests add, remove and fold entries", async () => {
    const session = await aSession();
    const { accountId } = session;
    const work = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 8; n++) {
        const email = `w${writer}-${n}@x.test`;
        await aSuppression(api.database.db, { accountId, email });
        if (n % 2 === 0) expect((await remove(session, email)).status).toBe(200);
        await foldListChanges(api.database.db, 2);
        const list = await listed(session, "?limit=100");
        expect(list.data).toHaveLength(list.pagination.total);
      }
    });
    await Promise.all(work);
    expect((await listed(session)).pagination.total).toBe(16);
    while ((await foldListChanges(api.database.db, 1000)) > 0);
    expect((await listed(session)).pagination.total).toBe(16);
  });
});

test("GET /api/v1/suppression returns 401 without a JWT", async () => {
  const session = await aSession();
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, session.accountId);
  const path = "/api/v1/suppression";
  expect((await api.call({ method: "GET", path })).status).toBe(401);
  expect((await api.call({ method: "GET", path, key })).status).toBe(401);
});

describe("GET /api/v1/suppression returns 422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=x", "limit"],
    ["page=0", "page"],
    ["page=1.5", "page"],
    ["mode=other", "mode"],
    ["before=1", "before"],
    ["reason=bounce", "reason"],
    ["page=2&reason=manual", "page"],
    ["page=2&before=01a1ddd0-0000-7000-8000-000000000000", "page"],
    ["type=Bounce", "type"],
  ])("for ?%s, naming the parameter", async (query, field) => {
    const { accessToken } = await aSession();
    const response = await api.call({ method: "GET", path: `/api/v1/suppression?${query}`, token: accessToken });
    expect(response.status).toBe(422);
    expect(response.json().error.details[0].field).toBe(field);
  });
});

describe("DELETE /api/v1/suppression/:email returns 200", () => {
  test("with a message that names the address, and removes it from the list", async () => {
    const session = await aSession();
    await someSuppressions(session.accountId, 2);
    const response = await remove(session, "person-0@x.test");
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({ success: true, message: expect.stringContaining("person-0@x.test") });
    expect(await listed(session)).toMatchObject({ data: [{ email: "person-1@x.test" }], pagination: { total: 1 } });
  });

  test("and does not filter later sends to the address", async () => {
    const session = await aSession();
    const domain = await aVerifiedDomain(api.database.db, session.accountId);
    await aSuppression(api.database.db, { accountId: session.accountId, email: "jane@example.io" });
    const send = () =>
      api.call({
        method: "POST",
        path: "/api/v1/send",
        token: session.accessToken,
        body: { from: `a@${domain}`, to: ["jane@example.io"], subject: "Hello", text: "Hi" },
      });
    expect((await send()).json()).toMatchObject({ status: "suppressed", suppressed_recipients: ["jane@example.io"] });
    await remove(session, "jane@example.io");
    const accepted = (await send()).json();
    expect(accepted.status).toBe("queued");
    expect(accepted.suppressed_recipients).toBeUndefined();
  });

  test.each([
    ["jane@x.test", "JANE@X.Test"],
    ["jane@xn--exmple-cua.test", "jane@exämple.test"],
    ["jane+tag@x.test", "jane+tag@x.test"],
    ["a/b%c@x.test", "a/b%c@x.test"],
  ])("for the entry %s when the caller writes %s", async (email, written) => {
    const session = await aSession();
    await aSuppression(api.database.db, { accountId: session.accountId, email });
    const response = await remove(session, written);
    expect(response.status).toBe(200);
    expect(response.json().message).toContain(written);
    expect(emailsOf(await listed(session))).toEqual([]);
  });

  test("and records the removal at the provider in the same commit, for live mode only", async () => {
    const session = await aSession();
    for (const mode of ["live", "test"] as Mode[]) {
      await aSuppression(api.database.db, { accountId: session.accountId, email: `note-${mode}@x.test`, mode });
    }
    expect((await remove(session, "note-live@x.test")).status).toBe(200);
    expect((await remove(session, "note-test@x.test")).status).toBe(200);
    expect(await removalsOf("note-live@x.test")).toEqual([{ email: "note-live@x.test", tries: 0 }]);
    expect(await removalsOf("note-test@x.test")).toEqual([]);
  });

  test("and removes the entries of both modes, or only that of the mode in the query", async () => {
    const session = await aSession();
    const suppressInBothModes = async () => {
      for (const mode of ["live", "test"] as Mode[]) {
        await aSuppression(api.database.db, { accountId: session.accountId, email: "both@x.test", mode });
      }
    };
    await suppressInBothModes();
    expect((await remove(session, "both@x.test", "?mode=test")).status).toBe(200);
    expect(await listed(session)).toMatchObject({ data: [{ mode: "live" }], pagination: { total: 1 } });
    expect(await removalsOf("both@x.test")).toEqual([]);
    expect((await remove(session, "both@x.test", "?mode=test")).status).toBe(404);
    await remove(session, "both@x.test");
    await suppressInBothModes();
    expect((await remove(session, "both@x.test")).status).toBe(200);
    expect(await listed(session)).toMatchObject({ data: [], pagination: { total: 0 } });
    expect(await removalsOf("both@x.test")).toHaveLength(1);
    expect((await remove(session, "both@x.test")).status).toBe(404);
  });

  test("for one of two concurrent removals of an address, and 404 for the other", async () => {
    const session = await aSession();
    await aSuppression(api.database.db, { accountId: session.accountId, email: "twice@x.test" });
    const responses = await Promise.all([remove(session, "twice@x.test"), remove(session, "twice@x.test")]);
    expect(responses.map((response) => String(response.status)).toSorted()).toEqual(["200", "404"]);
  });
});

test("DELETE /api/v1/suppression/:email returns 401 for a missing or invalid JWT and removes nothing", async () => {
  const session = await aSession();
  await someSuppressions(session.accountId, 1);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, session.accountId);
  const request = { method: "DELETE", path: "/api/v1/suppression/person-0%40x.test" } as const;
  const responses = [
    await api.call(request),
    await api.call({ ...request, token: "eyJ.eyJ.sig" }),
    await api.call({ ...request, key }),
  ];
  expect(responses.map((response) => response.status)).toEqual([401, 401, 401]);
  expect((await listed(session)).pagination.total).toBe(1);
});

describe("DELETE /api/v1/suppression/:email returns 404", () => {
  test("for an address without an entry in this account and mode, and for text that is not an address", async () => {
    const [session, other] = [await aSession(), await aSession()];
    await aSuppression(api.database.db, { accountId: other.accountId, email: "theirs@x.test" });
    await aSuppression(api.database.db, { accountId: session.accountId, email: "tried@x.test", mode: "test" });
    const emails = ["nobody@x.test", "theirs@x.test", "tried@x.test", "no address", "a@b@c", "Jane <nobody@x.test>"];
    for (const email of emails) {
      const response = await remove(session, email, "?mode=live");
      expect(response.status).toBe(404);
      expect(response.json().error.code).toBe("NOT_FOUND");
    }
    expect(emailsOf(await listed(other))).toEqual(["theirs@x.test"]);
    expect(await removalsOf("theirs@x.test")).toEqual([]);
  });
});

test("no log line contains a suppressed address", async () => {
  const session = await aSession();
  await aSuppression(api.database.db, { accountId: session.accountId, email: "canary-address@x.test" });
  await listed(session);
  await remove(session, "canary-address@x.test");
  await remove(session, "canary-address@x.test");
  expect(api.logLines.filter((line) => line.includes("canary-address"))).toEqual([]);
});
