import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { rateLimitedClient } from "./connection-rate-limit.ts";
import { openDatabase } from "./database.ts";

const shared = useTestDatabase();
const poolSize = 3;

test("when every connection breaks, a process opens twice its pool size and then one every two seconds", async () => {
  const server = await aServer((socket) => void socket.once("data", () => socket.destroy()));
  const db = aDatabase(server.url);
  const begun = performance.now();
  let refused = 0;
  while (performance.now() - begun < 2_500) {
    await db.query({ name: "one", text: "select 1" }).catch((error: { code?: string }) => {
      if (error.code === "UNAVAILABLE") refused += 1;
    });
  }
  expect(refused).toBeGreaterThanOrEqual(server.connections());
  expect(server.connections()).toBeGreaterThanOrEqual(poolSize * 2 + 1);
  expect(server.connections()).toBeLessThanOrEqual(poolSize * 2 + 2);
});

test("attempts to reach a server that is down cost no tokens, so connecting works as soon as it is back", async () => {
  const { url, close } = await aServer(() => undefined);
  await close();
  const db = aDatabase(url);
  for (let tries = 0; tries < poolSize * 10; tries++) {
    await expect(db.query({ name: "one", text: "select 1" })).rejects.toMatchObject({
      cause: { code: "ECONNREFUSED" },
    });
  }
});

test("connections that the server refuses cost no tokens", async () => {
  const db = aDatabase(`${shared.url}_not_there`);
  for (let tries = 0; tries < poolSize * 4; tries++) {
    await expect(db.query({ name: "one", text: "select 1" })).rejects.toMatchObject({ cause: { code: "3D000" } });
    await sleep(5);
  }
});

test("statements that fail cost no tokens", async () => {
  const db = aDatabase(shared.url);
  for (let tries = 0; tries < poolSize * 10; tries++) {
    await expect(db.query({ name: "wrong", text: "select 1 / 0" })).rejects.toThrow("division by zero");
  }
});

test("a connection that is closed while an answer is awaited costs a token", async () => {
  const pool = new pg.Pool({ connectionString: shared.url, max: 9, Client: rateLimitedClient(2) });
  onTestFinished(() => pool.end());
  const openAndGiveUp = async (text: string | undefined) => {
    const client = await pool.connect();
    client.on("error", () => undefined);
    if (text !== undefined) client.query(text).catch(() => undefined);
    client.release(true);
  };
  for (let idle = 0; idle < 6; idle++) await openAndGiveUp(undefined);
  for (let busy = 0; busy < 2; busy++) await openAndGiveUp("select pg_sleep(1)");
  await expect(openAndGiveUp(undefined)).rejects.toThrow("too many connections were lost");
  await sleep(1_000);
  await openAndGiveUp(undefined);
});

test.for([
  ["outside", {}],
  ["inside", { isPlannedOnce: true }],
] as const)("sessions that the server ends %s of a transaction cost no tokens", async ([, settings]) => {
  const db = aDatabase(shared.url);
  for (let tries = 0; tries < poolSize * 4; tries++) {
    const text = "select pg_terminate_backend(pg_backend_pid())";
    const ended = db.query({ name: "end-own-session", text, ...settings });
    await expect(ended).rejects.toMatchObject({ cause: { code: "57P01" } });
  }
});

function aDatabase(url: string) {
  const db = openDatabase({ url, poolSize, applicationName: "postern-test", onIdleError: () => undefined });
  onTestFinished(() => db.close());
  return db;
}

async function aServer(onConnection: (socket: Socket) => void) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  const close = async () => {
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  onTestFinished(close);
  return { url: `postgres://postern@127.0.0.1:${port}/postern`, connections: () => connections, close };
}
