import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey, type TestLogin } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { KeyScope } from "../../../api-keys/scopes.ts";

const api = useTestApi();

async function aDeveloper(): Promise<TestLogin> {
  return aLogin(api.database.db, api.deps.loginDeps, { role: "developer" });
}

const aKey = ({ accountId }: TestLogin, scopes: KeyScope[] = ["send", "read"], type: "live" | "test" = "live") =>
  anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { name: "billing", type, scopes });

/** Stores what waits, and lists. */
async function list({ accessToken }: Pick<TestLogin, "accessToken">, query = "") {
  await api.deps.requestLog.flush();
  const response = await api.call({ method: "GET", path: `/api/v1/requests${query}`, token: accessToken });
  expect(response.status).toBe(200);
  return response.json().data;
}

describe("GET /api/v1/requests", () => {
  test("200 with a refused send: route, status, code, problems, key, address and request id, without its payload", async () => {
    const developer = await aDeveloper();
    const { id, key } = await aKey(developer);
    const { status, headers } = await api.call({
      method: "POST",
      path: "/api/v1/send?mode=live",
      key,
      body: { from: "secret-value", to: ["secret-value"], "secret-name": 1, headers: { "X-Secret-Name": "ä" } },
      remoteAddress: "203.0.113.9",
    });
    expect(status).toBe(422);
    const { requests } = await list(developer);
    expect(requests).toMatchObject([
      {
        method: "POST",
        route: "/api/v1/send",
        status: 422,
        error_code: "VALIDATION_ERROR",
        mode: "live",
        api_key: { id, name: "billing", key_prefix: expect.stringMatching(/^postern_live_/) },
        user_id: null,
        address: "203.0.113.9",
        request_id: headers["x-request-id"],
      },
    ]);
    const fields = requests[0].details.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(["from", "to[0]", "subject", "html", "…", "headers.…"]));
    expect(JSON.stringify(requests)).not.toMatch(/secret/i);
  });

  test("finds a request by its id, also one that the client chose", async () => {
    const developer = await aDeveloper();
    const { key } = await aKey(developer);
    const [wanted] = [`order-${randomUUIDv7()}`, randomUUIDv7()].map((requestId) =>
      api.call({
        method: "GET",
        path: `/api/v1/send/${randomUUIDv7()}/status`,
        key,
        headers: { "x-request-id": requestId },
      }),
    );
    const { headers } = await (wanted ?? Promise.reject(new Error("no request")));
    const { requests } = await list(developer, `?request_id=${String(headers["x-request-id"])}`);
    expect(requests).toMatchObject([{ route: "/api/v1/send/:id/status", status: 404, error_code: "NOT_FOUND" }]);
  });

  test("shows what a revoked key and a key without the scope tried, and nothing of an unknown key", async () => {
    const developer = await aDeveloper();
    const [revoked, narrow] = [await aKey(developer), await aKey(developer, ["send"])];
    await change(api.database.db, "update api_keys set revoked_at = now() where id = $1", [revoked.id]);
    const body = { from: "a@b.test", to: ["c@d.test"], subject: "s", text: "t" };
    await api.call({ method: "POST", path: "/api/v1/send", key: revoked.key, body });
    await api.call({ method: "GET", path: "/api/v1/domains", key: narrow.key });
    await api.call({ method: "GET", path: "/api/v1/domains", key: `${narrow.key.slice(0, -1)}x` });
    const { requests } = await list(developer, "?status=401&error_code=UNAUTHORIZED");
    expect(
      requests.map(({ api_key, route }: { api_key: { id: string }; route: string }) => [api_key.id, route]),
    ).toEqual([
      [narrow.id, "/api/v1/domains"],
      [revoked.id, "/api/v1/send"],
    ]);
  });

  test("shows what was refused to a member, with the user", async () => {
    const developer = await aDeveloper();
    const viewer = await aLogin(api.database.db, api.deps.loginDeps, {
      accountId: developer.accountId,
      role: "viewer",
    });
    await api.call({
      method: "POST",
      path: "/api/v1/domains",
      token: viewer.accessToken,
      body: { domain_name: "a.test" },
    });
    const { requests } = await list(developer);
    expect(requests).toMatchObject([{ status: 403, error_code: "FORBIDDEN", user_id: viewer.id, api_key: null }]);
  });

  test("shows bodies that could not be read: not JSON, another type, too large", async () => {
    const developer = await aDeveloper();
    const { key } = await aKey(developer, ["suppressions"]);
    const path = "/api/v1/suppression";
    await api.call({ method: "POST", path, key, rawBody: "{", headers: { "content-type": "application/json" } });
    await api.call({ method: "POST", path, key, rawBody: "x", headers: { "content-type": "text/x-secret" } });
    await api.call({ method: "POST", path, key, body: { email: "x".repeat(70_000) } });
    const { requests } = await list(developer);
    expect(requests.map(({ status, details }: { status: number; details: unknown[] }) => [status, details])).toEqual([
      [413, []],
      [415, []],
      [422, [{ field: "body", code: "not_json", message: "is not valid JSON" }]],
    ]);
  });

  test("shows a batch of which no mail was accepted, with the problems of its mails", async () => {
    const developer = await aDeveloper();
    const { key } = await aKey(developer);
    await api.call({ method: "POST", path: "/api/v1/send/batch", key, body: { mails: [{}, 1] } });
    const { requests } = await list(developer);
    expect(requests).toMatchObject([{ route: "/api/v1/send/batch", status: 422, error_code: "BATCH_REFUSED" }]);
    const fields = requests[0].details.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(["mails[0].from", "mails[1]"]));
  });

  test("has a sample of accepted requests of keys, and none of users", async () => {
    const developer = await aDeveloper();
    const { key } = await aKey(developer);
    for (let count = 0; count < 3; count++) await api.call({ method: "GET", path: "/api/v1/domains", key });
    await api.call({ method: "GET", path: "/api/v1/domains", token: developer.accessToken });
    const { requests } = await list(developer, "?status=2xx");
    expect(requests).toMatchObject([{ route: "/api/v1/domains", status: 200, error_code: null, details: [] }]);
  });

  test("filters by status, key, method and route, and continues with next_before", async () => {
    const developer = await aDeveloper();
    const [one, other] = [await aKey(developer), await aKey(developer)];
    for (let count = 0; count < 3; count++) {
      await api.call({ method: "GET", path: "/api/v1/domains/7", key: one.key });
      await api.call({ method: "GET", path: "/api/v1/sends?limit=x", key: other.key });
    }
    await api.call({ method: "POST", path: "/api/v1/domains/7/verify", key: one.key });
    const count = async (query: string) => (await list(developer, query)).requests.length;
    expect(await count("?status=404")).toBe(3);
    expect(await count("?status=4xx")).toBe(7);
    expect(await count("?status=5xx")).toBe(0);
    expect(await count(`?api_key_id=${one.id}`)).toBe(4);
    expect(await count("?method=POST")).toBe(1);
    expect(await count("?route=/api/v1/domains/:id")).toBe(3);
    expect(await count("?until=2020-01-01T00:00:00Z")).toBe(0);
    const ids: string[] = [];
    for (let query = "?limit=3&status=4xx"; query !== ""; ) {
      const { requests, pagination } = await list(developer, query);
      ids.push(...requests.map(({ id }: { id: string }) => id));
      query = pagination.next_before === null ? "" : `?limit=3&status=4xx&before=${pagination.next_before}`;
    }
    expect(new Set(ids).size).toBe(7);
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  test("a key reads the requests of its mode", async () => {
    const developer = await aDeveloper();
    const [live, testKey] = [await aKey(developer), await aKey(developer, ["read"], "test")];
    for (const { key } of [live, testKey]) await api.call({ method: "GET", path: "/api/v1/domains/7", key });
    await api.deps.requestLog.flush();
    const { data } = (await api.call({ method: "GET", path: "/api/v1/requests?status=404", key: testKey.key })).json();
    expect(data.requests).toMatchObject([{ mode: "test", api_key: { id: testKey.id } }]);
    expect((await list(developer, "?status=404&mode=live")).requests).toMatchObject([{ api_key: { id: live.id } }]);
    expect((await api.call({ method: "GET", path: "/api/v1/requests?mode=live", key: testKey.key })).status).toBe(422);
  });

  test("has nothing of another account", async () => {
    const [one, other] = [await aDeveloper(), await aDeveloper()];
    const { key } = await aKey(one);
    const { headers } = await api.call({ method: "GET", path: "/api/v1/domains/7", key });
    expect((await list(other)).requests).toEqual([]);
    expect((await list(other, `?request_id=${String(headers["x-request-id"])}`)).requests).toEqual([]);
  });

  test("has nothing that is older than 7 days", async () => {
    const developer = await aDeveloper();
    await change(
      api.database.db,
      `insert into logged_requests (id, account_id, mode, method, route, status, request_id)
       select new_id_at(now() - age), $1, 'live', 'GET', '/', 404, 'same'
       from unnest(array[interval '169 hours', interval '167 hours']) as age`,
      [developer.accountId],
    );
    expect((await list(developer)).requests).toHaveLength(1);
    expect((await list(developer, "?request_id=same&since=2020-01-01T00:00:00Z")).requests).toHaveLength(1);
  });

  test("403 for a viewer, 401 for a key without the scope read", async () => {
    const viewer = await aLogin(api.database.db, api.deps.loginDeps, { role: "viewer" });
    const call = { method: "GET", path: "/api/v1/requests" } as const;
    expect((await api.call({ ...call, token: viewer.accessToken })).status).toBe(403);
    expect((await api.call({ ...call, key: (await aKey(viewer, ["send"])).key })).status).toBe(401);
  });

  test.for(["status=9xx", "status=422x", "error_code=NONE", "api_key_id=1", "method=PUT", "request_id=a%20b", "key=1"])(
    "422 for ?%s",
    async (query) => {
      const { accessToken } = await aDeveloper();
      const { status } = await api.call({ method: "GET", path: `/api/v1/requests?${query}`, token: accessToken });
      expect(status).toBe(422);
    },
  );
});
