import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { runPostern } from "../../test/run-postern.ts";
import { sendRow } from "../../test/send-rows.ts";
import { type PosternProcess, posternPath, spawnPostern } from "../../test/spawn-postern.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { readKeyIssuer } from "../config.ts";

const database = useTestDatabase();
vi.setConfig({ testTimeout: 40_000 });

test("`postern serve` accepts and delivers mail, serves health and metrics of both, and ends with code 0 on SIGTERM", async () => {
  const environment = anEnvironment({ DATABASE_URL: database.url });
  const serve = await startServe(environment);
  expect(serve.logs().at(-1)).toMatchObject({ event: "serve.started", mode: "test mail only" });
  const accountId = await anAccount(database.db);
  const { key } = await anApiKey(database.db, readKeyIssuer(environment), accountId, { type: "test" });
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  const mail = { from: "hello@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hello", text: "It works." };
  const accepted = await fetch(`${serve.url}/api/v1/send`, { method: "POST", headers, body: JSON.stringify(mail) });
  expect(accepted.status).toBe(202);
  const { id } = (await accepted.json()) as { id: string };
  await expect.poll(async () => (await sendRow(database.db, id))?.status, { timeout: 25_000 }).toBe("delivered");

  expect((await fetch(`${serve.operationsUrl}/health`)).status).toBe(200);
  const metrics = await (await fetch(`${serve.operationsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^postern_http_request_seconds_count\{.*route="\/api\/v1\/send".*\} 1$/m);
  expect(metrics).toMatch(/^postern_sends_settled_total\{status="sent"\} 1$/m);

  serve.kill("SIGTERM");
  expect(await serve.exited).toEqual({ code: 0, signal: null });
  expect(serve.logs().map(({ event }) => event)).toEqual(expect.arrayContaining(["serve.stopping", "serve.stopped"]));
});

test("an uncaught error in either of them stops both and ends the command with code 1", async () => {
  const plant = `data:text/javascript,process.on("SIGUSR2", () => { throw new Error("planted") })`;
  const program = [process.execPath, "--import", plant, posternPath] as const;
  const serve = await startServe(anEnvironment({ DATABASE_URL: database.url }), program);
  serve.kill("SIGUSR2");
  expect(await serve.exited).toEqual({ code: 1, signal: null });
  expect(serve.logs()).toContainEqual(expect.objectContaining({ event: "serve.crashed", level: "error" }));
  await expect(fetch(`${serve.url}/healthz`)).rejects.toThrow();
});

test("a port in use ends the command with code 1 and names the port, and no worker keeps running", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") expect.fail("the server has no port");
  const environment = anEnvironment({ DATABASE_URL: database.url, PORT: `${address.port}` });
  expect(await runPostern(["serve"], environment)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Cannot listen on 127.0.0.1:${address.port} (setting PORT)`),
  });
});

async function startServe(
  environment: Parameters<typeof spawnPostern>[1],
  program?: Parameters<typeof spawnPostern>[2],
): Promise<PosternProcess> {
  const serve = await spawnPostern("serve", { ...environment, LOG_LEVEL: "info" }, program);
  onTestFinished(async () => {
    serve.kill("SIGKILL");
    await serve.exited;
  });
  return serve;
}
