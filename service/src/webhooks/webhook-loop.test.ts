import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { testContentKeys } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aReplay } from "../../test/webhook-builders.ts";
import {
  aWebhookEndpoint,
  deliveryState,
  endpointState,
  pendingDeliveries,
  queued,
  useEmptyWebhooks,
  type WebhookEndpoint,
  webhookAttempts,
} from "../../test/webhook-fixture.ts";
import { createCautiousClock } from "../cautious-clock.ts";
import type { Database } from "../db/database.ts";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { sealEndpointSecret } from "./endpoint-secret.ts";
import type { FannedOut } from "./fan-out.ts";
import { type Outbound, openOutbound } from "./outbound/post-notification.ts";
import { WebhookLoop } from "./webhook-loop.ts";

const database = useTestDatabase();
const nothing = { taken: 0, isMore: false };
useEmptyWebhooks(database);
vi.setConfig({ testTimeout: 40_000 });

const secret = Buffer.alloc(32, 7);
const outbound = openOutbound({
  resolver: { findAddresses: () => Promise.reject(new Error("no name is looked up")) },
  ports: "any",
  allowsHttp: true,
});

test("a delivery arrives signed, with the bytes of its envelope, and is settled, counted and logged by host", async () => {
  const { db } = database;
  const receiver = await aReceiver((_, response) => response.end("thanks"));
  const { endpoint } = await anEndpointAt(`${receiver.url}/hook?token=hidden`);
  const [id = ""] = await pendingDeliveries(db, endpoint, { envelope: '{"type":"send.sent","é":1}' });
  const { loop, metrics, lines } = aLoop();
  expect(await loop.runOnce()).toBe(1);
  const [request] = receiver.requests;
  const {
    "webhook-id": webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  } = request?.headers ?? {};
  expect(request).toMatchObject({
    method: "POST",
    body: '{"type":"send.sent","é":1}',
    headers: { "content-type": "application/json", "user-agent": "Postern-Webhooks/1" },
  });
  expect([webhookId]).toEqual((await change(db, "select public_id from notifications")).map((row) => row.public_id));
  const signed = createHmac("sha256", secret).update(`${String(webhookId)}.${String(timestamp)}.${request?.body}`);
  expect(signature).toBe(`v1,${signed.digest("base64")}`);
  expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(10);
  expect(await deliveryState(db, id)).toBe("delivered");
  expect(await webhookAttempts(db, id)).toEqual(["1 200"]);
  const counted = await metrics.registry.metrics();
  expect(counted).toContain('postern_webhook_attempts_total{result="success"} 1');
  expect(counted).toContain('postern_webhook_deliveries_total{state="delivered"} 1');
  expect(lines()).toEqual([
    expect.objectContaining({
      event: "webhook.attempted",
      delivery_id: id,
      host: new URL(receiver.url).host,
      status: 200,
      state: "delivered",
    }),
  ]);
  expect(JSON.stringify(lines())).not.toContain("hidden");
});

test("a notification is fanned out and delivered while the loop runs, as soon as the hint comes", async () => {
  const { db } = database;
  const receiver = await aReceiver((_, response) => response.end());
  const { endpoint } = await anEndpointAt(receiver.url);
  let isNotified = false;
  const fanOut = async () => {
    if (!isNotified) return nothing;
    isNotified = false;
    return { taken: (await pendingDeliveries(db, endpoint)).length, isMore: false };
  };
  const { loop } = aLoop({ fanOut });
  loop.start();
  isNotified = true;
  loop.wake();
  await expect.poll(() => receiver.requests.length, { timeout: 900 }).toBe(1);
  await loop.stop();
  expect(await change(db, "select from webhook_queue")).toEqual([]);
});

test("a failing fan-out does not keep existing deliveries from going out", async () => {
  const { db } = database;
  const receiver = await aReceiver((_, response) => response.end());
  const { endpoint } = await anEndpointAt(receiver.url);
  await pendingDeliveries(db, endpoint, { count: 6 });
  const { loop, lines } = aLoop({ fanOut: () => Promise.reject(new Error("not today")) });
  loop.start();
  await expect.poll(() => receiver.requests.length).toBe(6);
  await loop.stop();
  expect(lines().filter(({ event }) => event === "webhooks.fan-out-failed")).toHaveLength(1);
});

test("the replay of a range goes out while the loop runs, with the ids of the first deliveries", async () => {
  const { db } = database;
  const receiver = await aReceiver((_, response) => response.end());
  const { endpoint } = await anEndpointAt(receiver.url);
  await pendingDeliveries(db, endpoint, { count: 3 });
  const { loop, lines } = aLoop();
  expect(await loop.runOnce()).toBe(3);
  const replayId = await aReplay(db, { accountId: endpoint.accountId, endpointId: endpoint.id });
  const widen = "update webhook_replays set types = '{send.sent}', to_at = now() + interval '1 minute' where id = $1";
  await change(db, widen, [replayId]);
  loop.start();
  await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(6);
  await loop.stop();
  const ids = receiver.requests.map(({ headers }) => String(headers["webhook-id"]));
  expect(ids.slice(3).toSorted()).toEqual(ids.slice(0, 3).toSorted());
  expect(lines()).toContainEqual(
    expect.objectContaining({ event: "webhooks.replay-ended", replay_id: replayId, state: "done" }),
  );
});

test("410 disables the endpoint and pauses the delivery; a Retry-After within bounds decides the next attempt", async () => {
  const { db } = database;
  const gone = await aReceiver((_, response) => response.writeHead(410).end("gone"));
  const busy = await aReceiver((_, response) => response.writeHead(503, { "retry-after": "9" }).end("later"));
  const [at410, at503] = [await anEndpointAt(gone.url), await anEndpointAt(busy.url)];
  const [first = ""] = await pendingDeliveries(db, at410.endpoint);
  const [second = ""] = await pendingDeliveries(db, at503.endpoint);
  const { loop } = aLoop();
  expect(await loop.runOnce()).toBe(2);
  expect(await endpointState(db, at410.endpoint.id)).toMatchObject({ disabled_reason: "gone" });
  expect(await queued(db, first)).toMatch(/^paused 1 /);
  expect(await endpointState(db, at503.endpoint.id)).toMatchObject({ disabled_reason: null, isFailing: true });
  expect(await queued(db, second)).toBe("pending 1 9");
});

test("a secret that cannot be opened does not count as an attempt, and the endpoint is not to blame", async () => {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db, { url: "http://127.0.0.1:1/" });
  const [id = ""] = await pendingDeliveries(db, endpoint, { attempt: 10 });
  const { loop, lines } = aLoop();
  await loop.runOnce();
  expect(await queued(db, id)).toMatch(/^pending 10 (60|59)$/);
  expect(await endpointState(db, endpoint.id)).toMatchObject({ isFailing: false });
  expect(lines().map(({ event }) => event)).toEqual(["webhook.not-signed", "webhook.attempted"]);
});

test("a delivery without its notification fails instead of waiting for ever", async () => {
  const { db } = database;
  const { endpoint } = await anEndpointAt("http://127.0.0.1:1/");
  const [id = ""] = await pendingDeliveries(db, endpoint);
  await change(db, "delete from notifications");
  await aLoop().loop.runOnce();
  expect(await deliveryState(db, id)).toBe("failed");
});

test("a worker that was suspended after its claim makes no request", async () => {
  const { db } = database;
  const receiver = await aReceiver((_, response) => response.end());
  const { endpoint } = await anEndpointAt(receiver.url);
  const [id = ""] = await pendingDeliveries(db, endpoint);
  let now = 0;
  const { loop } = aLoop({ clock: () => (now += 11_000) });
  await loop.runOnce();
  expect(receiver.requests).toEqual([]);
  expect(await queued(db, id)).toMatch(/^pending 0 /);
});

test("a result that the database could not store at first is stored once it can, and counts once", async () => {
  const { db } = database;
  const receiver = await aReceiver((_, response) => response.end());
  const { endpoint } = await anEndpointAt(receiver.url);
  const [id = ""] = await pendingDeliveries(db, endpoint);
  let failures = 1;
  const flaky: Database = {
    ...db,
    query: async (statement) => {
      const rows = await db.query(statement);
      // The commit succeeded, but its answer was lost.
      if (statement.name === "settle-webhook-deliveries" && failures-- > 0) throw new Error("connection lost");
      return rows;
    },
  };
  const { loop, lines } = aLoop({ db: flaky });
  await loop.runOnce();
  expect(receiver.requests).toHaveLength(1);
  expect(await deliveryState(db, id)).toBe("delivered");
  expect(await webhookAttempts(db, id)).toEqual(["1 200"]);
  expect(lines().map(({ event, state }) => [event, state])).toEqual([
    ["webhook.not-settled-yet", undefined],
    ["webhook.attempted", "lease-lost"],
  ]);
});

test("a hanging endpoint delays only itself, and stopping waits for its attempt", async () => {
  const { db } = database;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const hanging = await aReceiver((_, response) => void released.then(() => response.end()));
  const working = await aReceiver((_, response) => response.end());
  const [first, second] = [await anEndpointAt(hanging.url), await anEndpointAt(working.url)];
  await pendingDeliveries(db, first.endpoint, { count: 50 });
  await pendingDeliveries(db, second.endpoint, { count: 50 });
  const { loop } = aLoop();
  loop.start();
  await expect.poll(() => working.requests.length, { timeout: 15_000 }).toBe(50);
  await expect.poll(() => hanging.requests.length).toBe(4);
  const stopped = loop.stop();
  release();
  await stopped;
  expect(await change(db, "select from webhook_queue where state = 'delivering'")).toEqual([]);
  const left = await change(db, "select from webhook_queue where endpoint_id = $1", [first.endpoint.id]);
  // A claim that had begun before the stop can lease four more when the first four have ended.
  expect([46, 42]).toContain(left.length);
});

test("an endpoint that answers fast gets four requests at a time, also from two workers, and each delivery once", async () => {
  const { db } = database;
  let [inFlight, most] = [0, 0];
  const receiver = await aReceiver((_, response) => {
    most = Math.max(most, ++inFlight);
    setTimeout(() => {
      inFlight--;
      response.end();
    }, 3);
  });
  const { endpoint } = await anEndpointAt(receiver.url);
  const ids = await pendingDeliveries(db, endpoint, { count: 400 });
  const [one, other] = [aLoop().loop, aLoop().loop];
  one.start();
  other.start();
  await expect.poll(() => change(db, "select from webhook_queue"), { timeout: 30_000 }).toEqual([]);
  await Promise.all([one.stop(), other.stop()]);
  expect(most).toBe(4);
  expect(receiver.requests).toHaveLength(ids.length);
  expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(ids.length);
});

test("an endpoint that begins to fail gets no more than the requests that were under way; the others wait without an attempt", async () => {
  const { db } = database;
  let answers = 0;
  const receiver = await aReceiver((_, response) => {
    answers += 1;
    response.writeHead(answers <= 8 ? 200 : 500).end();
  });
  const { endpoint } = await anEndpointAt(receiver.url);
  const ids = await pendingDeliveries(db, endpoint, { count: 60 });
  const { loop } = aLoop();
  loop.start();
  await expect.poll(() => endpointState(db, endpoint.id), { timeout: 10_000 }).toMatchObject({ isFailing: true });
  await loop.stop();
  const attempts = await Promise.all(ids.map((id) => webhookAttempts(db, id)));
  const failed = attempts.filter((each) => each.some((attempt) => attempt.includes("500")));
  expect(attempts.flat()).toHaveLength(8 + failed.length);
  expect(receiver.requests).toHaveLength(attempts.flat().length);
  expect(failed.length).toBeLessThan(20);
  expect(await change(db, "select from webhook_queue where state = 'delivering'")).toEqual([]);
});

test("at most so many attempts are in flight in a worker", async () => {
  const { db } = database;
  const endpoints: WebhookEndpoint[] = [];
  for (let number = 0; number < 4; number++) endpoints.push((await anEndpointAt("http://127.0.0.1:1/")).endpoint);
  for (const endpoint of endpoints) await pendingDeliveries(db, endpoint, { count: 4 });
  let [inFlight, most] = [0, 0];
  const slow: Pick<Outbound, "post"> = {
    async post() {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inFlight--;
      return { durationMs: 20, status: 200, answer: "", failure: undefined, retryAfterSeconds: undefined };
    },
  };
  const { loop } = aLoop({ outbound: slow, maxInFlight: 5 });
  loop.start();
  await expect.poll(() => change(db, "select from webhook_queue"), { timeout: 10_000 }).toEqual([]);
  await loop.stop();
  expect(most).toBe(5);
});

async function anEndpointAt(url: string): Promise<{ endpoint: WebhookEndpoint }> {
  const { db } = database;
  const endpoint = await aWebhookEndpoint(db, { url, sealedSecrets: [] });
  await change(
    db,
    "insert into webhook_secrets (id, endpoint_id, account_id, sealed) values (gen_random_uuid(), $1, $2, $3)",
    [endpoint.id, endpoint.accountId, sealEndpointSecret(testContentKeys, endpoint.id, secret)],
  );
  await change(db, "insert into webhook_networks (account_id, network) values ($1, '127.0.0.0/8')", [
    endpoint.accountId,
  ]);
  return { endpoint };
}

interface LoopOptions {
  db?: Database;
  fanOut?: () => Promise<FannedOut>;
  clock?: () => number;
  outbound?: Pick<Outbound, "post">;
  maxInFlight?: number;
}

function aLoop({
  db = database.db,
  fanOut = async () => nothing,
  clock,
  maxInFlight = 200,
  ...options
}: LoopOptions = {}) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const metrics = createMetrics();
  const log = createLog("info", stream);
  const deps = { outbound, contentKeys: testContentKeys, clock: clock ?? createCautiousClock(), log, ...options };
  const loop = new WebhookLoop({ db, fanOut, deps, metrics, maxInFlight });
  const lines = () => written.map((line): Record<string, unknown> => JSON.parse(line));
  return { loop, metrics, lines };
}

interface ReceivedRequest {
  method: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A receiver of webhooks that answers as the test wants. */
async function aReceiver(answer: (request: ReceivedRequest, response: ServerResponse) => void) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const received = { method: request.method, headers: request.headers, body };
      requests.push(received);
      answer(received, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return { url: `http://127.0.0.1:${port}`, requests };
}
