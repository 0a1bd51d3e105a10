import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { foldListChanges } from "../../../db/list-counts.ts";
import type { Mode } from "../../../mode.ts";

const api = useTestApi();

interface SuppressionList {
  data: { id: string; email: string; reason: string; suppressed_at: string }[];
  pagination: { page: number; limit: number; total: number; total_pages: number; next_before?: string | null };
}

function aConsumer() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

type Reader = Awaited<ReturnType<typeof aConsumer>>;

async function listed({ accessToken }: Reader, query = ""): Promise<SuppressionList> {
  const response = await api.call({ method: "GET", path: `/api/v1/suppression${query}`, token: accessToken });
  expect(response.status).toBe(200);
  return response.json();
}

function remove({ accessToken }: Reader, email: string, query = "") {
  const path = `/api/v1/suppression/${encodeURIComponent(email)}${query}`;
  return api.call({ method: "DELETE", path, token: accessToken });
}

function emailsOf({ data }: SuppressionList): string[] {
  return data.map(({ email }) => email);
}

/** `person-0@x.test` first; a millisecond apart at least, so that the newest is known. */
async function someSuppressed(accountId: string, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, number) => `person-${number}@x.test`);
  await change(
    api.database.db,
    `insert into suppressions (id, account_id, mode, email, reason, suppressed_at)
     select new_id_at(at), $1, 'live', email, 'complaint', at
     from unnest($2::text[]) with ordinality as e (email, place),
       lateral (select timestamptz '2026-11-15Z' + place * interval '1 ms' as at) as times`,
    [accountId, emails],
  );
  return emails;
}

function removalsOf(email: string) {
  return change(api.database.db, "select email, tries from suppression_removals where email = $1", [email]);
}

describe("GET /api/v1/suppression answers 200", () => {
  test("with success, data and pagination side by side, and the fields of an entry", async () => {
    const reader = await aConsumer();
    await someSuppressed(reader.accountId, 1);
    expect(await listed(reader)).toEqual({
      success: true,
      data: [
        {
          id: expect.any(String),
          email: "person-0@x.test",
          reason: "complaint",
          suppressed_at: "2026-11-15T00:00:00.001Z",
        },
      ],
      pagination: { page: 1, limit: 50, total: 1, total_pages: 1 },
    });
  });

  test("with an empty list for an account that suppresses nobody", async () => {
    expect(await listed(await aConsumer())).toEqual({
      success: true,
      data: [],
      pagination: { page: 1, limit: 50, total: 0, total_pages: 0 },
    });
  });

  test("with the newest first, in pages that together are the list", async () => {
    const reader = await aConsumer();
    const emails = await someSuppressed(reader.accountId, 7);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await listed(reader, `?limit=3&page=${page}`));
    expect(pages.flatMap(emailsOf)).toEqual(emails.toReversed());
    expect(pages[3]?.pagination).toEqual({ page: 4, limit: 3, total: 7, total_pages: 3 });
  });

  test("with 50 unless a limit is given, and up to 100", async () => {
    const reader = await aConsumer();
    await someSuppressed(reader.accountId, 120);
    const counts = [];
    for (const query of ["", "?limit=1", "?limit=100"]) counts.push((await listed(reader, query)).data.length);
    expect(counts).toEqual([50, 1, 100]);
  });

  test("from an entry on with before, until next_before is null, also when that entry is gone", async () => {
    const reader = await aConsumer();
    const emails = await someSuppressed(reader.accountId, 5);
    const first = await listed(reader, "?limit=2");
    await remove(reader, emails[3] ?? "");
    const second = await listed(reader, `?limit=2&before=${first.data[1]?.id}`);
    expect(Object.keys(second.pagination)).toEqual(["limit", "next_before"]);
    const third = await listed(reader, `?limit=2&before=${second.pagination.next_before}`);
    expect([first, second, third].flatMap(emailsOf)).toEqual(emails.toReversed());
    expect(third.pagination.next_before).toBeNull();
  });

  test("with nothing of another account", async () => {
    const [reader, other] = [await aConsumer(), await aConsumer()];
    await someSuppressed(other.accountId, 2);
    expect((await listed(reader)).pagination.total).toBe(0);
    expect(await listed(reader, "?before=ffffffff-ffff-7fff-bfff-ffffffffffff")).toMatchObject({ data: [] });
  });

  test("with live entries, and with those of test mail for ?mode=test", async () => {
    const reader = await aConsumer();
    for (const mode of ["live", "test"] as Mode[]) {
      await aSuppression(api.database.db, { accountId: reader.accountId, email: `${mode}@x.test`, mode });
    }
    expect(emailsOf(await listed(reader))).toEqual(["live@x.test"]);
    expect(emailsOf(await listed(reader, "?mode=test"))).toEqual(["test@x.test"]);
  });

  test("with an exact total while addresses come, go and are folded at once", async () => {
    const reader = await aConsumer();
    const { accountId } = reader;
    const work = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 8; n++) {
        const email = `w${writer}-${n}@x.test`;
        await aSuppression(api.database.db, { accountId, email });
        if (n % 2 === 0) expect((await remove(reader, email)).status).toBe(200);
        await foldListChanges(api.database.db, 2);
        const list = await listed(reader, "?limit=100");
        expect(list.data).toHaveLength(list.pagination.total);
      }
    });
    await Promise.all(work);
    expect((await listed(reader)).pagination.total).toBe(16);
    while ((await foldListChanges(api.database.db, 1000)) > 0);
    expect((await listed(reader)).pagination.total).toBe(16);
  });
});

test("GET /api/v1/suppression answers 401 without a JWT", async () => {
  const reader = await aConsumer();
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, reader.accountId);
  const path = "/api/v1/suppression";
  expect((await api.call({ method: "GET", path })).status).toBe(401);
  expect((await api.call({ method: "GET", path, key })).status).toBe(401);
});

describe("GET /api/v1/suppression answers 422", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=x", "limit"],
    ["page=0", "page"],
    ["page=1.5", "page"],
    ["mode=other", "mode"],
    ["before=1", "before"],
    ["page=2&before=01a1ddd0-0000-7000-8000-000000000000", "page"],
    ["limit=100&page=1001", "page"],
    ["type=Bounce", "type"],
  ])("to ?%s, naming the parameter", async (query, field) => {
    const { accessToken } = await aConsumer();
    const response = await api.call({ method: "GET", path: `/api/v1/suppression?${query}`, token: accessToken });
    expect(response.status).toBe(422);
    expect(response.json().error.details[0].field).toBe(field);
  });
});

describe("DELETE /api/v1/suppression/:email answers 200", () => {
  test("with a message that names the address, which is off the list then", async () => {
    const reader = await aConsumer();
    await someSuppressed(reader.accountId, 2);
    const response = await remove(reader, "person-0@x.test");
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({ success: true, message: expect.stringContaining("person-0@x.test") });
    expect(await listed(reader)).toMatchObject({ data: [{ email: "person-1@x.test" }], pagination: { total: 1 } });
  });

  test("and later sends to the address are no longer filtered", async () => {
    const reader = await aConsumer();
    const domain = await aVerifiedDomain(api.database.db, reader.accountId);
    await aSuppression(api.database.db, { accountId: reader.accountId, email: "jane@example.io" });
    const send = () =>
      api.call({
        method: "POST",
        path: "/api/v1/send",
        token: reader.accessToken,
        body: { from: `a@${domain}`, to: ["jane@example.io"], subject: "Hello", text: "Hi" },
      });
    expect((await send()).json()).toMatchObject({ status: "suppressed", suppressed_recipients: ["jane@example.io"] });
    await remove(reader, "jane@example.io");
    const accepted = (await send()).json();
    expect(accepted.status).toBe("queued");
    expect(accepted.suppressed_recipients).toBeUndefined();
  });

  test.each([
    ["jane@x.test", "JANE@X.Test"],
    ["jane@xn--exmple-cua.test", "jane@exämple.test"],
    ["jane+tag@x.test", "jane+tag@x.test"],
    ["a/b%c@x.test", "a/b%c@x.test"],
  ])("for %s written as %s", async (email, written) => {
    const reader = await aConsumer();
    await aSuppression(api.database.db, { accountId: reader.accountId, email });
    const response = await remove(reader, written);
    expect(response.status).toBe(200);
    expect(response.json().message).toContain(written);
    expect(emailsOf(await listed(reader))).toEqual([]);
  });

  test("and in the same commit notes that the address has to go from the provider's list, for live mail only", async () => {
    const reader = await aConsumer();
    for (const mode of ["live", "test"] as Mode[]) {
      await aSuppression(api.database.db, { accountId: reader.accountId, email: `note-${mode}@x.test`, mode });
    }
    expect((await remove(reader, "note-live@x.test")).status).toBe(200);
    expect((await remove(reader, "note-test@x.test", "?mode=test")).status).toBe(200);
    expect(await removalsOf("note-live@x.test")).toEqual([{ email: "note-live@x.test", tries: 0 }]);
    expect(await removalsOf("note-test@x.test")).toEqual([]);
  });

  test("to one of two that remove the same address at once, and 404 to the other", async () => {
    const reader = await aConsumer();
    await aSuppression(api.database.db, { accountId: reader.accountId, email: "twice@x.test" });
    const answers = await Promise.all([remove(reader, "twice@x.test"), remove(reader, "twice@x.test")]);
    expect(answers.map((answer) => String(answer.status)).toSorted()).toEqual(["200", "404"]);
  });
});

test("DELETE /api/v1/suppression/:email answers 401 for a missing or invalid JWT, and removes nothing", async () => {
  const reader = await aConsumer();
  await someSuppressed(reader.accountId, 1);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, reader.accountId);
  const request = { method: "DELETE", path: "/api/v1/suppression/person-0%40x.test" } as const;
  const answers = [
    await api.call(request),
    await api.call({ ...request, token: "eyJ.eyJ.sig" }),
    await api.call({ ...request, key }),
  ];
  expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401]);
  expect((await listed(reader)).pagination.total).toBe(1);
});

describe("DELETE /api/v1/suppression/:email answers 404", () => {
  test("for an address without an entry, of another account or the other mode, and for a text that is no address", async () => {
    const [reader, other] = [await aConsumer(), await aConsumer()];
    await aSuppression(api.database.db, { accountId: other.accountId, email: "theirs@x.test" });
    await aSuppression(api.database.db, { accountId: reader.accountId, email: "tried@x.test", mode: "test" });
    const emails = ["nobody@x.test", "theirs@x.test", "tried@x.test", "no address", "a@b@c", "Jane <nobody@x.test>"];
    for (const email of emails) {
      const response = await remove(reader, email);
      expect(response.status).toBe(404);
      expect(response.json().error.code).toBe("NOT_FOUND");
    }
    expect(emailsOf(await listed(other))).toEqual(["theirs@x.test"]);
    expect(await removalsOf("theirs@x.test")).toEqual([]);
  });
});

test("no address of a suppression reaches the log", async () => {
  const reader = await aConsumer();
  await aSuppression(api.database.db, { accountId: reader.accountId, email: "canary-address@x.test" });
  await listed(reader);
  await remove(reader, "canary-address@x.test");
  await remove(reader, "canary-address@x.test");
  expect(api.logLines.filter((line) => line.includes("canary-address"))).toEqual([]);
});
