import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { anOperatorLogin } from "../../../../test/operator-login.ts";
import { aQueuedSend, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { Mode } from "../../../mode.ts";

const api = useTestApi();

async function anAccountWithKeys() {
  const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
  const domain = await aVerifiedDomain(api.database.db, accountId);
  const keyOf = async (type: Mode) =>
    (await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type, scopes: ["send", "read"] })).key;
  const body = { from: `a@${domain}`, to: ["jane@example.io"], subject: "Hello", text: "Hi" };
  return { accountId, token, live: await keyOf("live"), test: await keyOf("test"), body };
}

function sendsOf(accountId: string) {
  return change(api.database.db, "select mode from sends where account_id = $1 order by id", [accountId]);
}

describe.each(["/api/v1/send", "/api/v1/send/validate"])("POST %s", (path) => {
  test("returns 422 and stores nothing for a mode that contradicts the key, a misspelt mode and any other parameter", async () => {
    const { accountId, token, live, test: testKey, body } = await anAccountWithKeys();
    const refused = [
      [{ key: live }, "?mode=test", "mode"],
      [{ key: testKey }, "?mode=live", "mode"],
      [{ key: live }, "?Mode=test", "Mode"],
      [{ token }, "?Mode=test", "Mode"],
      [{ token }, "?mode=Test", "mode"],
      [{ token }, "?mode=", "mode"],
      [{ token }, "?mode=test&mode=test", "mode"],
      [{ key: live }, "?dry_run=true", "dry_run"],
    ] as const;
    for (const [credential, query, field] of refused) {
      const response = await api.call({ method: "POST", path: `${path}${query}`, ...credential, body });
      expect([query, response.status]).toEqual([query, 422]);
      expect(response.json().error).toMatchObject({ code: "VALIDATION_ERROR", details: [{ field }] });
      await change(api.database.db, "delete from rate_windows where account_id = $1", [accountId]);
    }
    expect(await sendsOf(accountId)).toEqual([]);
  });

  test("accepts the mode of the key, and returns 401 before it looks at the query", async () => {
    const { live, test: testKey, body } = await anAccountWithKeys();
    const post = (query: string, credential: object) =>
      api.call({ method: "POST", path: path + query, ...credential, body });
    const accepted = path.endsWith("validate") ? 200 : 202;
    expect((await post("?mode=live", { key: live })).status).toBe(accepted);
    expect((await post("?mode=test", { key: testKey })).status).toBe(accepted);
    expect((await post("?Mode=test", {})).status).toBe(401);
    expect((await post("?Mode=test", { key: `${live.slice(0, -1)}_` })).status).toBe(401);
  });
});

test("POST /api/v1/send names the problems of the query and of the body together, and counts the request", async () => {
  const { accountId, live, body } = await anAccountWithKeys();
  const path = "/api/v1/send?mode=test&color=red";
  const response = await api.call({ method: "POST", path, key: live, body: { ...body, to: [] } });
  expect(response.status).toBe(422);
  const fields = response.json().error.details.map(({ field }: { field: string }) => field);
  expect(fields).toEqual(["color", "to"]);
  for (let n = 0; n < 2; n++) await api.call({ method: "POST", path, key: live, body });
  expect((await api.call({ method: "POST", path, key: live, body })).status).toBe(429);
  expect(await sendsOf(accountId)).toEqual([]);
});

describe("reading with an API key", () => {
  test("returns 422 for a mode that contradicts the key, and takes the mode of the key", async () => {
    const { accountId, live } = await anAccountWithKeys();
    const id = await aQueuedSend(api.database.db, { accountId });
    for (const path of [`/api/v1/send/${id}/status`, `/api/v1/send/${id}/timeline`, "/api/v1/sends"]) {
      expect((await api.call({ method: "GET", path: `${path}?mode=live`, key: live })).status).toBe(200);
      for (const query of ["?mode=test", "?Mode=live", "?limits=1"]) {
        const response = await api.call({ method: "GET", path: path + query, key: live });
        expect([path, query, response.status]).toEqual([path, query, 422]);
      }
    }
  });
});

test("every endpoint under /api/v1 returns 422 for an unknown parameter, and 401 first", async () => {
  // An owner who is also an operator, so that every endpoint is open.
  const { accessToken: token } = await anOperatorLogin(api.database.db, api.deps.loginDeps);
  const endpoints = Object.entries(api.app.swagger().paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods ?? {}).map((method) => ({
      path: path.replaceAll(/\{\w+\}/g, "1"),
      method: method.toUpperCase(),
    })),
  );
  const known = endpoints.filter(({ path }) => path.startsWith("/api/v1/") && path !== "/api/v1/feedback/ses");
  expect(known.length).toBeGreaterThanOrEqual(20);
  for (const { path, method } of known) {
    const body =
      method === "POST"
        ? { email: "a@b.io", password: "x", name: "x", type: "test", domain_name: "a.io", refresh_token: "x" }
        : undefined;
    const request = { method, path: `${path}?Mode=test`, token, ...(body && { body }) } as Parameters<
      typeof api.call
    >[0];
    expect([method, path, (await api.call(request)).status]).toEqual([method, path, 422]);
  }
});

test("the SNS callback takes any query", async () => {
  const response = await api.call({ method: "POST", path: "/api/v1/feedback/ses?topic=1", body: {} });
  expect(response.status).not.toBe(422);
});
