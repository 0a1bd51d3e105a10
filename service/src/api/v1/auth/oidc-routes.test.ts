import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { anAccount } from "../../../../test/builders.ts";
import { type ForgingIssuer, issuerSettings, startForgingIssuer } from "../../../../test/forging-issuer.ts";
import {
  accessTokenOf,
  callBack,
  honestQuery,
  publicUrl,
  type StartedFlow,
  startFlow,
} from "../../../../test/oidc-browser.ts";
import { anEnvironment } from "../../../../test/test-config.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { useTestDatabase } from "../../../../test/use-test-database.ts";
import { startTestApi, type TestApi } from "../../../../test/with-test-apis.ts";
import type { Environment } from "../../../config.ts";

const database = useTestDatabase();
const logLines: string[] = [];
let issuer: ForgingIssuer;
let environment: Environment = {};
let api: TestApi;

beforeAll(async () => {
  issuer = await startForgingIssuer();
  const settings = issuerSettings(issuer.url, await anAccount(database.db));
  environment = anEnvironment({ PUBLIC_URL: publicUrl, LOG_LEVEL: "debug", ...settings });
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

test("the callback sets the refresh cookie for 12 hours, deletes its own and goes to the console", async () => {
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
  expect(me.json()).toMatchObject({
    email: "ada@acme.test",
    role: "developer",
    log_in: { password: false, oidc: true, totp: false },
  });
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

test("a text instead of an error code is not logged: it may be an address", async () => {
  const flow = await startFlow(api.app);
  const query = new URLSearchParams({ error: "jane@canary.test", state: flow.state, iss: issuer.url });
  expect((await callBack(api.app, query.toString(), flow.cookie)).status).toBe(401);
  expect(logLines.join("")).not.toContain("canary");
  expect(logLines.findLast((line) => line.includes("oidc.refused"))).toContain("the issuer answered an error");
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
    const other = await startTestApi(database.db, environment, logLines);
    issuer.answers = { ...issuer.honest, metadata: (honest) => ({ ...honest, issuer: `${issuer.url}/` }) };
    expect((await other.app.inject("/api/v1/auth/oidc/start")).statusCode).toBe(401);
    await other.app.close();
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

describe("callbacks with an invented code", () => {
  const refuse = async () => ({ status: 400, body: { error: "invalid_grant" } });
  const failing = (address: string, flow: StartedFlow) =>
    callBack(api.app, honestQuery(flow, issuer.url), flow.cookie, address);

  test("of one started log-in make one call to the issuer, and none to its discovery document", async () => {
    const flow = await startFlow(api.app);
    issuer.answers.token = refuse;
    const before = { ...issuer.calls };
    const all = await Promise.all(Array.from({ length: 20 }, () => failing("203.0.113.1", flow)));
    expect(all.map(({ status }) => status)).toEqual(new Array(20).fill(401));
    await startFlow(api.app);
    expect(issuer.calls).toEqual({ ...before, token: before.token + 1 });
  });

  test("from one address block are refused with 429 after 50 without a call, and other addresses log in", async () => {
    issuer.answers.token = refuse;
    const before = { ...issuer.calls };
    for (let count = 0; count < 50; count++) {
      const { status } = await failing(`2001:db8::${count}`, await startFlow(api.app));
      expect(status).toBe(401);
    }
    issuer.answers = { ...issuer.honest };
    const { status, text } = await failing("2001:db8::ffff", await startFlow(api.app));
    expect([status, text]).toEqual([429, expect.stringContaining("Too many log-ins failed from your network")]);
    expect(issuer.calls).toEqual({ ...before, token: before.token + 50 });
    expect((await failing("2001:db8:0:1::1", await startFlow(api.app))).status).toBe(302);
  });

  test("count, but log-ins that succeed do not, nor those whose issuer does not answer", async () => {
    const address = "203.0.113.2";
    for (let count = 0; count < 30; count++) {
      expect((await failing(address, await startFlow(api.app))).status).toBe(302);
    }
    issuer.answers.token = async () => ({ status: 500, body: "" });
    for (let count = 0; count < 30; count++) {
      expect((await failing(address, await startFlow(api.app))).status).toBe(503);
    }
    issuer.answers = { ...issuer.honest };
    expect((await failing(address, await startFlow(api.app))).status).toBe(302);
  });
});

test("a failing token endpoint makes the API read the discovery document again at most once in 10 seconds", async () => {
  const other = await startTestApi(database.db, environment, logLines);
  issuer.answers.token = async () => ({ status: 500, body: "" });
  const before = issuer.calls.discovery;
  for (let count = 0; count < 5; count++) {
    const flow = await startFlow(other.app);
    expect((await callBack(other.app, honestQuery(flow, issuer.url), flow.cookie)).status).toBe(503);
  }
  await other.app.close();
  expect(issuer.calls.discovery - before).toBe(2);
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
