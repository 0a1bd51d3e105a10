import { once } from "node:events";
import { Agent, get, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startApiProcess, startTcpProxy } from "../../test/api-process.ts";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type Environment, readConfig } from "../config.ts";
import type { Mode } from "../mode.ts";
import { holdByOperator, releaseByOperator } from "../queue/operator-hold.ts";

const shared = useTestDatabase();

// Well below the 25 seconds after which a process that cannot stop exits with an error.
const soonMs = 5_000;

describe("SIGTERM", () => {
  test("a request in progress is answered, its connection is closed, and the process ends with code 0", async () => {
    const env = anEnvironment({ DATABASE_URL: shared.url });
    const key = await aKey(env);
    const api = await startApiProcess(env);
    const pending = await whileTableIsLocked("api_keys", async () => {
      const response = request(`${api.url}/api/v1/account`, { "x-api-key": key });
      await untilRequestWaits();
      api.kill("SIGTERM");
      await api.logged("api.stopping");
      return { response };
    });
    expect(await pending.response).toMatchObject({ status: 200, headers: { connection: "close" } });
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
    await api.logged("api.stopped");
  });

  test("connections that wait for the next, the first or the rest of a request do not delay the exit", async () => {
    const api = await startApiProcess(anEnvironment({ DATABASE_URL: shared.url }));
    expect(await request(`${api.url}/healthz`)).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
    await request(`${api.operationsUrl}/metrics`);
    const { hostname, port } = new URL(api.url);
    const idle = connect(Number(port), hostname);
    const incomplete = connect(Number(port), hostname);
    incomplete.on("error", () => undefined).write("GET /healthz HTTP/1.1\r\nHost: post");
    const ended = [once(idle, "close"), once(incomplete, "close")];
    await once(idle, "connect");
    // This connection is younger than the idle one: once it is answered, the process has accepted the idle one as well.
    await request(`${api.url}/healthz`, {}, new Agent());
    api.kill("SIGTERM");
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
    await Promise.all(ended);
  });

  test("new connections are refused while the last request is being answered", async () => {
    const env = anEnvironment({ DATABASE_URL: shared.url });
    const key = await aKey(env);
    const api = await startApiProcess(env);
    const pending = await whileTableIsLocked("api_keys", async () => {
      const response = request(`${api.url}/api/v1/account`, { "x-api-key": key });
      await untilRequestWaits();
      api.kill("SIGTERM");
      await api.logged("api.stopping");
      const another = () =>
        request(`${api.url}/healthz`, {}, new Agent()).catch((error: { code: string }) => error.code);
      await expect.poll(another, { timeout: soonMs }).toBe("ECONNREFUSED");
      return { response };
    });
    expect(await pending.response).toMatchObject({ status: 200 });
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
  });
});

describe("the operations port", () => {
  test("serves metrics and health, which the public port does not", async () => {
    const api = await startApiProcess(anEnvironment({ DATABASE_URL: shared.url }));
    await holdByOperator(shared.db, "a test");
    onTestFinished(async () => void (await releaseByOperator(shared.db)));
    await request(`${api.url}/healthz`);
    const metrics = await request(`${api.operationsUrl}/metrics`);
    expect(metrics).toMatchObject({ status: 200, headers: { "content-type": expect.stringContaining("text/plain") } });
    expect(metrics.body).toMatch(
      /^postern_http_request_seconds_count\{method="GET",route="\/healthz",status="200"\} 1$/m,
    );

    const health = await request(`${api.operationsUrl}/health`);
    expect(health.status).toBe(200);
    expect(JSON.parse(health.body)).toMatchObject({
      isReady: true,
      checks: { database: "ok", schema: "ok" },
      degraded: [expect.stringContaining("The operator put all mail on hold")],
      sending: [{ mode: "live", operatorHold: { note: "a test" } }, { mode: "test" }],
      connections: { api: { waiting: 0 }, accept: { waiting: 0 } },
    });
    expect(metrics.body).toContain('postern_provider_held{mode="live",reason="manual"} 1');

    expect(await request(`${api.operationsUrl}/live`)).toMatchObject({ status: 200 });
    expect(await request(`${api.operationsUrl}/healthz`)).toMatchObject({ status: 404 });
    for (const path of ["/metrics", "/health"]) expect(await request(api.url + path)).toMatchObject({ status: 404 });
  });

  test("listens on 127.0.0.1 only", async () => {
    const { OPERATIONS_HOST, ...env } = anEnvironment({ DATABASE_URL: shared.url });
    const api = await startApiProcess(env);
    const { hostname, port } = new URL(api.operationsUrl);
    expect({ OPERATIONS_HOST, hostname }).toEqual({ OPERATIONS_HOST: undefined, hostname: "127.0.0.1" });
    // All of 127.0.0.0/8 is this machine, so a server that listens on 0.0.0.0 would answer here.
    await expect(request(`http://127.0.0.2:${port}/metrics`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

test("POST /send is answered while a read of another account occupies every shared connection", async () => {
  const env = anEnvironment({ DATABASE_URL: shared.url, DATABASE_POOL_SIZE: "1" });
  const [reader, sender] = [await aKey(env, "test"), await aKey(env, "test")];
  const api = await startApiProcess(env);
  const { id } = await send(api.url, reader);
  const pending = await whileTableIsLocked("send_attempts", async () => {
    const timeline = request(`${api.url}/api/v1/send/${id}/timeline`, { "x-api-key": reader });
    await untilRequestWaits();
    // The second request comes from a remembered key.
    for (let sent = 0; sent < 2; sent++) expect(await send(api.url, sender)).toMatchObject({ status: 202 });
    return { timeline };
  });
  expect(await pending.timeline).toMatchObject({ status: 200 });
});

describe("an unavailable database", () => {
  test("makes the process not ready and its requests fail with 503, and both recover when it returns", async () => {
    const proxy = await startTcpProxy(shared.url);
    const env = anEnvironment({ DATABASE_URL: proxy.url });
    const key = await aKey(env);
    const api = await startApiProcess(env);
    const account = () => request(`${api.url}/api/v1/account`, { "x-api-key": key });
    expect(await account()).toMatchObject({ status: 200 });
    expect(await request(`${api.url}/readyz`)).toMatchObject({ status: 200 });

    await proxy.close();
    const refused = await account();
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
    expect(JSON.parse(refused.body)).toMatchObject({ success: false, error: { code: "UNAVAILABLE" } });
    // The probes of a second share one check, so the first probe can still succeed.
    await expect
      .poll(() => request(`${api.url}/readyz`), { timeout: soonMs })
      .toMatchObject({
        status: 503,
        headers: { "retry-after": "2", "content-type": "application/json; charset=utf-8" },
      });
    const notReady = await request(`${api.url}/readyz`);
    expect(JSON.parse(notReady.body)).toMatchObject({ success: false, error: { code: "UNAVAILABLE" } });
    const health = await request(`${api.operationsUrl}/health`);
    expect(health.status).toBe(503);
    expect(JSON.parse(health.body)).toMatchObject({ isReady: false, checks: { database: "unreachable" } });
    expect(await request(`${api.url}/healthz`)).toMatchObject({ status: 200 });

    await proxy.open();
    expect(await account()).toMatchObject({ status: 200 });
    await expect.poll(() => request(`${api.url}/readyz`), { timeout: soonMs }).toMatchObject({ status: 200 });
    api.kill("SIGTERM");
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
  });
});

describe("DRAIN_SECONDS", () => {
  test("after SIGTERM the API is not ready but serves every request, then ends with code 0", async () => {
    const env = anEnvironment({ DATABASE_URL: shared.url, DRAIN_SECONDS: "2" });
    const key = await aKey(env);
    const api = await startApiProcess(env);
    expect(await request(`${api.url}/readyz`)).toMatchObject({ status: 200, headers: { connection: "keep-alive" } });
    const stoppedAt = performance.now();
    api.kill("SIGTERM");
    await api.logged("api.stopping");
    const oldAndNew = [keepAlive, new Agent({ keepAlive: true })];
    for (const agent of oldAndNew) {
      expect(await request(`${api.url}/readyz`, {}, agent)).toMatchObject({
        status: 503,
        headers: { connection: "close", "retry-after": "2" },
      });
      const account = await request(`${api.url}/api/v1/account`, { "x-api-key": key }, agent);
      expect(account).toMatchObject({ status: 200, headers: { connection: "close" } });
    }
    const health = await request(`${api.operationsUrl}/health`);
    expect(health.status).toBe(503);
    expect(JSON.parse(health.body)).toMatchObject({ isStopping: true, isReady: false, checks: { database: "ok" } });
    expect(await request(`${api.operationsUrl}/live`)).toMatchObject({ status: 200 });

    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).toBeGreaterThan(2_000);
  });

  test("a second signal ends the process at once", async () => {
    const api = await startApiProcess(anEnvironment({ DATABASE_URL: shared.url, DRAIN_SECONDS: "15" }));
    api.kill("SIGTERM");
    await api.logged("api.stopping");
    api.kill("SIGTERM");
    expect(await within(soonMs, api.exited)).toEqual({ code: 1, signal: null });
  });

  test("Ctrl-C does not wait", async () => {
    const api = await startApiProcess(anEnvironment({ DATABASE_URL: shared.url, DRAIN_SECONDS: "15" }));
    api.kill("SIGINT");
    expect(await within(soonMs, api.exited)).toEqual({ code: 0, signal: null });
  });
});

/** A key that a process with this environment accepts. */
async function aKey(env: Environment, type: Mode = "live"): Promise<string> {
  const { secrets, cellCode } = readConfig(env);
  const issuer = { pepper: secrets.apiKeyPepper.current, cellCode };
  return (await anApiKey(shared.db, issuer, await anAccount(shared.db), { type })).key;
}

async function send(url: string, key: string): Promise<{ status: number; id: string }> {
  const response = await fetch(`${url}/api/v1/send`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ from: "a@sandbox.test", to: ["b@sandbox.test"], subject: "Hello", text: "Hi" }),
  });
  const { id } = (await response.json()) as { id: string };
  return { status: response.status, id };
}

interface Response {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

const keepAlive = new Agent({ keepAlive: true });

function request(url: string, headers: Record<string, string> = {}, agent = keepAlive): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on("error", reject);
  });
}

function whileTableIsLocked<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  return shared.db.withTransaction(async (tx) => {
    await tx.query({ name: `lock-${table}`, text: `lock table ${table} in access exclusive mode` });
    return work();
  });
}

async function untilRequestWaits(): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(() => shared.db.query({ name: "waiting", text: waiting }), { timeout: soonMs }).toHaveLength(1);
}

async function within<Result>(limitMs: number, outcome: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`took longer than ${limitMs} ms`)), limitMs);
  onTestFinished(() => clearTimeout(timer));
  return Promise.race([outcome, late.promise]);
}
