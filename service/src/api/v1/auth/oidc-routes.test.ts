import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { anAccount } from "../../../../test/builders.ts";
import { type ForgingIssuer, issuerSettings, startForgingIssuer } from "../../../../test/forging-issuer.ts";
import { accessTokenOf, callBack, honestQuery, publicUrl, startFlow } from "../../../../test/oidc-browser.ts";
import { anEnvironment } from "../../../../test/test-config.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { useTestDatabase } from "../../../../test/use-test-database.ts";
import { startTestApi, type TestApi } from "../../../../test/with-test-apis.ts";

const database = useTestDatabase();
const logLines: string[] = [];
let issuer: ForgingIssuer;
let api: TestApi;

beforeAll(async () => {
  issuer = await startForgingIssuer();
  const settings = issuerSettings(issuer.url, await anAccount(database.db));
  const environment = anEnvironment({ PUBLIC_URL: publicUrl, LOG_LEVEL: "debug", ...settings });
  api = await startTestApi(database.db, environment, logLines);
});
beforeEach(() => {
  issuer.answers = { ...issuer.honest };
});
afterAll(async () => {
  await api.app.close();
  await issuer.close();
});

test("the start sends the browser to the issuer with PKCE, state and nonce, and a cookie for this host only", async () => {
  const { statusCode, headers } = await api.app.inject("/api/v1/auth/oidc/start");
  expect(statusCode).toBe(302);
  const { origin, pathname, searchParams } = new URL(String(headers.location));
  expect(origin + pathname).toBe(`${issuer.url}/authorize`);
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: "postern",
    response_type: "code",
    redirect_uri: `${publicUrl}/api/v1/auth/oidc/callback`,
    scope: "openid email",
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
  expect(headers["set-cookie"]).toMatch(
    /^__Host-postern_oidc=[\w-]{94}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
});

test("the callback sets the refresh cookie for 12 hours, deletes its own and goes to the start page", async () => {
  const flow = await startFlow(api.app);
  const { status, location, setCookies, refreshCookie } = await callBack(
    api.app,
    honestQuery(flow, issuer.url),
    flow.cookie,
  );
  expect([status, location]).toEqual([302, `${publicUrl}/`]);
  expect(setCookies).toEqual([
    "__Host-postern_oidc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure",
    expect.stringMatching(
      /^__Secure-postern_refresh=\S+; Max-Age=43200; Path=\/api\/v1\/auth; HttpOnly; SameSite=Strict; Secure$/,
    ),
  ]);
  const token = await accessTokenOf(api.app, refreshCookie);
  const me = await api.app.inject({ url: "/api/v1/auth/me", headers: { authorization: `Bearer ${token}` } });
  expect(me.json()).toMatchObject({ email: "ada@acme.test", role: "developer" });
});

test("an error is a page that says what to do and repeats nothing of the request", async () => {
  const flow = await startFlow(api.app);
  const query = new URLSearchParams({
    error: "access_denied",
    error_description: "<b>canary</b>",
    state: flow.state,
    iss: issuer.url,
  });
  const { status, text, refreshCookie } = await callBack(api.app, query.toString(), flow.cookie);
  expect([status, refreshCookie]).toEqual([401, undefined]);
  expect(text).toContain("The issuer refused the log-in, or you cancelled it.");
  expect(text).not.toContain("canary");
  expect(logLines.join("")).not.toContain("canary");
  expect(logLines.findLast((line) => line.includes("oidc.refused"))).toContain("the issuer answered access_denied");
});

test("a program gets the published error", async () => {
  const { statusCode, headers } = await api.app.inject("/api/v1/auth/oidc/callback?code=1&state=2");
  expect([statusCode, headers["content-type"]]).toEqual([401, "application/json; charset=utf-8"]);
});

test("HEAD does not use up a log-in, and the start takes no parameters", async () => {
  const flow = await startFlow(api.app);
  const url = `/api/v1/auth/oidc/callback?${honestQuery(flow, issuer.url)}`;
  const before = issuer.calls.token;
  expect((await api.app.inject({ method: "HEAD", url, headers: { cookie: flow.cookie } })).statusCode).toBe(405);
  expect(issuer.calls.token).toBe(before);
  expect((await api.app.inject("/api/v1/auth/oidc/start?redirect=https://evil.example")).statusCode).toBe(422);
});

describe("the issuer", () => {
  test("signs with a new key, and the next log-in succeeds", async () => {
    const { makeSigningKey } = await import("../../../../test/forging-issuer.ts");
    expect((await logIn()).status).toBe(302);
    issuer.key = await makeSigningKey("k2");
    expect((await logIn()).status).toBe(302);
  });

  test("is asked for its discovery document once, also by concurrent log-ins", async () => {
    await logIn();
    const before = issuer.calls.discovery;
    await Promise.all(Array.from({ length: 5 }, logIn));
    expect(issuer.calls.discovery).toBe(before);
  });

  test("answers with 500: 503 and Retry-After, and the next log-in reads the discovery document again", async () => {
    issuer.answers.token = async () => ({ status: 500, body: "" });
    const before = issuer.calls.discovery;
    const { status, text } = await logIn();
    expect(status).toBe(503);
    expect(text).toContain("does not answer");
    issuer.answers = { ...issuer.honest };
    expect((await logIn()).status).toBe(302);
    expect(issuer.calls.discovery).toBe(before + 1);
  });

  test("has an unusable discovery document: the log names what it calls itself", async () => {
    issuer.answers.token = async () => ({ status: 500, body: "" });
    await logIn();
    issuer.answers = { ...issuer.honest, metadata: (honest) => ({ ...honest, issuer: `${issuer.url}/` }) };
    expect((await api.app.inject("/api/v1/auth/oidc/start")).statusCode).toBe(401);
    expect(logLines.findLast((line) => line.includes("oidc.refused"))).toContain(
      `the issuer calls itself ${issuer.url}/`,
    );
  });

  test("does not answer for minutes: the log-in ends after 5 seconds", { timeout: 20_000 }, async () => {
    issuer.answers.token = async () => undefined;
    const begin = performance.now();
    const { status } = await logIn();
    expect(status).toBe(503);
    expect(performance.now() - begin).toBeLessThan(9_000);
  });
});

describe("without OIDC", () => {
  const other = useTestApi();

  test.for(["start", "callback?code=1"])("%s is 404 with a page that names the other way", async (path) => {
    const { statusCode, body } = await other.app.inject({
      url: `/api/v1/auth/oidc/${path}`,
      headers: { accept: "text/html" },
    });
    expect(statusCode).toBe(404);
    expect(body).toContain("Log in with email address and password");
  });
});

async function logIn() {
  const flow = await startFlow(api.app);
  return callBack(api.app, honestQuery(flow, issuer.url), flow.cookie);
}
