import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../test/free-port.ts";
import { startPgbouncer } from "../../test/pgbouncer/start-pgbouncer.ts";
import { aFolder, aSeparateDatabase, runPostern } from "../../test/run-postern.ts";
import { posternPath, spawnPostern } from "../../test/spawn-postern.ts";
import { copyTemplate, createEmptyDatabase } from "../../test/template-database.ts";
import { anEnvironment } from "../../test/test-config.ts";
import type { Database } from "../db/database.ts";
import { knownMigrations } from "../db/migrate.ts";

vi.setConfig({ testTimeout: 300_000 });

const newest = knownMigrations().at(-1) ?? "";

test("an API and a worker that start before `postern migrate` wait for it, and then work without a restart", async () => {
  const { url } = await aSeparateDatabase(createEmptyDatabase);
  const env = anEnvironment({ DATABASE_URL: url, LOG_LEVEL: "info" });
  const ports = { api: await freePort(), worker: await freePort() };
  const starting = (["api", "worker"] as const).map(async (name) => {
    const running = await spawnPostern(name, { ...env, OPERATIONS_PORT: String(ports[name]) });
    onTestFinished(async () => {
      running.kill("SIGKILL");
      await running.exited;
    });
    return running;
  });
  const ended = Promise.allSettled(starting);
  for (const port of Object.values(ports)) {
    await expect
      .poll(() => healthAt(port), { timeout: 120_000 })
      .toMatchObject({
        status: 503,
        body: { isReady: false, checks: { schema: { missing: ["the Postern tables"] } } },
      });
  }
  expect(await runPostern(["migrate"], env)).toMatchObject({ code: 0 });
  await ended;
  for (const running of await Promise.all(starting)) {
    expect(await running.logged("schema.waiting")).toMatchObject({ level: "warn", run: "postern migrate" });
    expect(await running.logged("schema.complete")).toMatchObject({ level: "info" });
    expect((await fetch(`${running.operationsUrl}/health`)).status).toBe(200);
  }
});

test("behind PgBouncer an API that starts before `postern migrate` waits too, and checks the pooler after it", async () => {
  const { url } = await aSeparateDatabase(createEmptyDatabase);
  const pgbouncer = await startPgbouncer(url);
  onTestFinished(() => pgbouncer.stop());
  const port = await freePort();
  const env = anEnvironment({
    DATABASE_URL: pgbouncer.url,
    DATABASE_DIRECT_URL: url,
    OPERATIONS_PORT: `${port}`,
    LOG_LEVEL: "info",
  });
  const starting = spawnPostern("api", env);
  const outcome = starting.then(
    async (running) => {
      onTestFinished(() => running.kill("SIGKILL"));
      return "started";
    },
    (error: unknown) => String(error),
  );
  const waiting = expect
    .poll(() => healthAt(port), { timeout: 120_000 })
    .toMatchObject({ status: 503, body: { checks: { schema: { missing: ["the Postern tables"] } } } });
  expect(await Promise.race([outcome, waiting.then(() => "waiting")])).toBe("waiting");
  expect(await pgbouncer.command("show servers")).toEqual([]);
  expect(await runPostern(["migrate"], env)).toMatchObject({ code: 0 });
  expect(await outcome).toBe("started");
  expect(await (await starting).logged("schema.complete")).toMatchObject({ level: "info" });
  expect((await healthAt(port))?.status).toBe(200);
});

test("while it waits for a newer migration, it is alive, not ready, and ends with code 0 on SIGTERM", async () => {
  const { url, db } = await aSeparateDatabase(copyTemplate);
  await forgetNewest(db);
  const [port, operations] = [await freePort(), await freePort()];
  const env = anEnvironment({
    DATABASE_URL: url,
    PORT: `${port}`,
    OPERATIONS_PORT: `${operations}`,
    LOG_LEVEL: "info",
  });
  const child = spawn(process.execPath, [posternPath, "api"], {
    cwd: aFolder({}),
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [log, ended] = [text(child.stdout), once(child, "close")];
  await expect
    .poll(() => healthAt(operations), { timeout: 120_000 })
    .toMatchObject({
      status: 503,
      body: { isReady: false, checks: { database: "ok", schema: { missing: [newest] } } },
    });
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  expect(await statusOf("/healthz")).toBe(200);
  expect(await statusOf("/readyz")).toBe(503);
  const send = await fetch(`http://127.0.0.1:${port}/api/v1/send`, { method: "POST", body: "{}" });
  expect({ status: send.status, retry: send.headers.get("retry-after"), body: await send.json() }).toMatchObject({
    status: 503,
    retry: "5",
    body: { error: { code: "UNAVAILABLE" } },
  });
  expect((await fetch(`http://127.0.0.1:${operations}/live`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(await log).toContain(newest);
});

async function healthAt(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
  return response && { status: response.status, body: await response.json() };
}

function forgetNewest(db: Database) {
  return db.query({
    name: "delete-newest-migration",
    text: "delete from schema_migrations where name = $1",
    values: [newest],
  });
}
