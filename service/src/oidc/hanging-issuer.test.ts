import { expect, onTestFinished, test } from "vitest";
import { anAccount, aUser } from "../../test/builders.ts";
import { type Answers, type ForgingIssuer, issuerSettings, startForgingIssuer } from "../../test/forging-issuer.ts";
import { callBack, honestQuery, publicUrl, startFlow } from "../../test/oidc-browser.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { startTestApi } from "../../test/with-test-apis.ts";
import type { ApiServer } from "../api/http/api-server.ts";

const database = useTestDatabase();
/** Of one call to the issuer, and time for a busy machine. */
const [deadlineMs, toleranceMs] = [5_000, 4_000];

const hanging: [string, Partial<Answers>][] = [
  ["answer of the token endpoint", { token: async () => undefined }],
  ["end of the token response", { token: async () => ({ body: "{", isUnfinished: true }) }],
  ["key set", { keys: () => undefined }],
];

test.for(hanging)(
  "a log-in whose %s never comes ends with 503 after 5 seconds, and passwords work meanwhile",
  { timeout: 30_000 },
  async ([, answers]) => {
    const { app, issuer } = await anApiWithIssuer();
    const flow = await startFlow(app);
    issuer.answers = { ...issuer.honest, ...answers };
    const begin = performance.now();
    const waiting = callBack(app, honestQuery(flow, issuer.url), flow.cookie);
    expect(await logInByPassword(app)).toBe(200);
    const { status, text, refreshCookie } = await waiting;
    expect([status, refreshCookie]).toEqual([503, undefined]);
    expect(text).toContain("The issuer of your company does not answer. Try again in a minute.");
    expectDeadline(begin);
    issuer.answers = { ...issuer.honest };
    const next = await startFlow(app);
    expect((await callBack(app, honestQuery(next, issuer.url), next.cookie)).status).toBe(302);
  },
);

test("100 log-ins that start while discovery hangs share one call, and all end with 503 after 5 seconds", {
  timeout: 30_000,
}, async () => {
  const { app, issuer } = await anApiWithIssuer();
  issuer.answers.metadata = () => undefined;
  const begin = performance.now();
  const waiting = Array.from({ length: 100 }, () => app.inject("/api/v1/auth/oidc/start"));
  expect(await logInByPassword(app)).toBe(200);
  const answers = await Promise.all(waiting);
  expect(new Set(answers.map(({ statusCode, headers }) => `${statusCode} ${headers["retry-after"]}`))).toEqual(
    new Set(["503 60"]),
  );
  expectDeadline(begin);
  expect(issuer.calls.discovery).toBe(1);
  issuer.answers = { ...issuer.honest };
  expect((await startFlow(app)).location.origin).toBe(issuer.url);
});

test("while the issuer hangs, few log-ins wait for it, all of them end, and passwords work", {
  timeout: 40_000,
}, async () => {
  const { app, issuer } = await anApiWithIssuer();
  const flows = await Promise.all(Array.from({ length: 60 }, () => startFlow(app)));
  issuer.answers.token = async () => undefined;
  const waiting = flows.map((flow) => callBack(app, honestQuery(flow, issuer.url), flow.cookie, "203.0.113.1"));
  await expect.poll(() => issuer.calls.token).toBe(8);
  expect(await logInByPassword(app)).toBe(200);
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([503]));
  expect(issuer.calls.token).toBeLessThanOrEqual(16);
});

async function anApiWithIssuer(): Promise<{ app: ApiServer; issuer: ForgingIssuer }> {
  const issuer = await startForgingIssuer();
  onTestFinished(issuer.close);
  const settings = issuerSettings(issuer.url, await anAccount(database.db));
  const { app } = await startTestApi(database.db, anEnvironment({ PUBLIC_URL: publicUrl, ...settings }), []);
  onTestFinished(() => app.close());
  return { app, issuer };
}

async function logInByPassword(app: ApiServer): Promise<number> {
  const { email, password } = await aUser(database.db);
  const headers = { "content-type": "application/json" };
  const payload = JSON.stringify({ email, password });
  return (await app.inject({ method: "POST", url: "/api/v1/auth/login", headers, payload })).statusCode;
}

function expectDeadline(begin: number): void {
  const ms = performance.now() - begin;
  expect(ms).toBeGreaterThan(deadlineMs - 500);
  expect(ms).toBeLessThan(deadlineMs + toleranceMs);
}
