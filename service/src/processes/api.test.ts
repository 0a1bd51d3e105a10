import { once } from "node:events";
import { Agent, get, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startApiProcess, startTcpProxy } from "../../test/api-process.ts";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type Environment, readConfig } from "../config.ts";
import { holdByOperator, releaseByOperator } from "../queue/operator-hold.ts";

const shared = useTestDatabase();

// Well below the 25 seconds after which a process that cannot stop ends itself with an error.
const soonMs = 5_000;

describe("SIGTERM", () => {
  test("a request in flight is answered, its connection is closed, and the process ends with code 0", async () => {
    const env = anEnvironment({ DATABASE_URL: shared.url });
    const key = await aKey(env);
    const api = await startApiProcess(env);
    const answer = await whileTableIsLocked("api_keys", async () => {
      const asked = ask(`${api.url}/api/v1/account`, { "x-api-key": key });
      await untilSomeoneWaits();
      api.kill("SIGTERM");
      await api.logged("api.stopping");
      return { asked };
    });
    expect(await answer.asked).toMatchObject({ status: 200, headers: { connection: "close" } });
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
    await api.logged("api.stopped");
  });

  test("connections that wait for a next, a first or the rest of a request do not delay the end", async () => {
    const api = await startApiProcess(anEnvironment({ DATABASE_URL: shared.url }));
    expect(await ask(`${api.url}/healthz`)).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
    await ask(`${api.operationsUrl}/metrics`);
    const { hostname, port } = new URL(api.url);
    const silent = connect(Number(port), hostname);
    const halfway = connect(Number(port), hostname);
    halfway.on("error", () => undefined).write("GET /healthz HTTP/1.1\r\nHost: post");
    const ended = [once(silent, "close"), once(halfway, "close")];
    await once(silent, "connect");
    // Answered on a later connection than the silent one, so that the process has accepted that one too.
    await ask(`${api.url}/healthz`, {}, new Agent());
    api.kill("SIGTERM");
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
    await Promise.all(ended);
  });

  test("new connections are refused while the last request is answered", async () => {
    const env = anEnvironment({ DATABASE_URL: shared.url });
    const key = await aKey(env);
    const api = await startApiProcess(env);
    const answer = await whileTableIsLocked("api_keys", async () => {
      const asked = ask(`${api.url}/api/v1/account`, { "x-api-key": key });
      await untilSomeoneWaits();
      api.kill("SIGTERM");
      await api.logged("api.stopping");
      const another = () => ask(`${api.url}/healthz`, {}, new Agent()).catch((error: { code: string }) => error.code);
      await expect.poll(another, { timeout: soonMs }).toBe("ECONNREFUSED");
      return { asked };
    });
    expect(await answer.asked).toMatchObject({ status: 200 });
  });
});

describe("the operations port", () => {
  test("shows metrics and health, and nothing of it on the public port", async () => {
    const api = await startApiProcess(anEnvironment({ DATABASE_URL: shared.url }));
    await holdByOperator(shared.db, "a try");
    onTestFinished(async () => void (await releaseByOperator(shared.db)));
    await ask(`${api.url}/healthz`);
    const metrics = await ask(`${api.operationsUrl}/metrics`);
    expect(metrics).toMatchObject({ status: 200, headers: { "content-type": expect.stringContaining("text/plain") } });
    expect(metrics.body).toMatch(
      /^postern_http_request_seconds_count\{method="GET",route="\/healthz",status="200"\} 1$/m,
    );

    const health = await ask(`${api.operationsUrl}/health`);
    expect(health.status).toBe(200);
    expect(JSON.parse(health.body)).toMatchObject({
      isReady: true,
      checks: { database: "ok", schema: "ok" },
      degraded: [expect.stringContaining("held by the operator")],
      sending: [{ mode: "live", operatorHold: { note: "a try" } }, { mode: "test" }],
      connections: { waiting: 0 },
    });
    expect(metrics.body).toContain('postern_provider_held{mode="live",reason="manual"} 1');

    expect(await ask(`${api.operationsUrl}/healthz`)).toMatchObject({ status: 404 });
    for (const path of ["/metrics", "/health"]) expect(await ask(api.url + path)).toMatchObject({ status: 404 });
  });

  test("listens on 127.0.0.1 and on no other address of the machine", async () => {
    const { OPERATIONS_HOST, ...env } = anEnvironment({ DATABASE_URL: shared.url });
    const api = await startApiProcess(env);
    const { hostname, port } = new URL(api.operationsUrl);
    expect({ OPERATIONS_HOST, hostname }).toEqual({ OPERATIONS_HOST: undefined, hostname: "127.0.0.1" });
    // All of 127.0.0.0/8 is this machine, so a server on 0.0.0.0 would answer here.
    await expect(ask(`http://127.0.0.2:${port}/metrics`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("a database that goes away", () => {
  test("makes the process not ready and requests unavailable, and everything works again when it is back", async () => {
    const proxy = await startTcpProxy(shared.url);
    const env = anEnvironment({ DATABASE_URL: proxy.url });
    const key = await aKey(env);
    const api = await startApiProcess(env);
    const account = () => ask(`${api.url}/api/v1/account`, { "x-api-key": key });
    expect(await account()).toMatchObject({ status: 200 });
    expect(await ask(`${api.url}/readyz`)).toMatchObject({ status: 200 });

    await proxy.close();
    const refused = await account();
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
    expect(JSON.parse(refused.body)).toMatchObject({ success: false, error: { code: "UNAVAILABLE" } });
    // One look at the database serves every probe of a second, so the first may still be good.
    await expect
      .poll(() => ask(`${api.url}/readyz`), { timeout: soonMs })
      .toMatchObject({
        status: 503,
        headers: { "retry-after": "2", "content-type": "application/json; charset=utf-8" },
      });
    const notReady = await ask(`${api.url}/readyz`);
    expect(JSON.parse(notReady.body)).toMatchObject({ success: false, error: { code: "UNAVAILABLE" } });
    const health = await ask(`${api.operationsUrl}/health`);
    expect(health.status).toBe(503);
    expect(JSON.parse(health.body)).toMatchObject({ isReady: false, checks: { database: "unreachable" } });
    expect(await ask(`${api.url}/healthz`)).toMatchObject({ status: 200 });

    await proxy.open();
    expect(await account()).toMatchObject({ status: 200 });
    await expect.poll(() => ask(`${api.url}/readyz`), { timeout: soonMs }).toMatchObject({ status: 200 });
    api.kill("SIGTERM");
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
  });
});

/** A key that a process with this environment accepts. */
async function aKey(env: Environment): Promise<string> {
  const { secrets, cellCode } = readConfig(env);
  const press = { pepper: secrets.apiKeyPepper.current, cellCode };
  return (await anApiKey(shared.db, press, await anAccount(shared.db))).key;
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

const keepAlive = new Agent({ keepAlive: true });

function ask(url: string, headers: Record<string, string> = {}, agent = keepAlive): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    request.on("error", reject);
  });
}

function whileTableIsLocked<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  return shared.db.withTransaction(async (tx) => {
    await tx.query({ name: `lock-${table}`, text: `lock table ${table} in access exclusive mode` });
    return work();
  });
}

async function untilSomeoneWaits(): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(() => shared.db.query({ name: "waiting", text: waiting }), { timeout: soonMs }).toHaveLength(1);
}

async function within<Result>(limitMs: number, outcome: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`took longer than ${limitMs} ms`)), limitMs);
  onTestFinished(() => clearTimeout(timer));
  return Promise.race([outcome, late.promise]);
}
