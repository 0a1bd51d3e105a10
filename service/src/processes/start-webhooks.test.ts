import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { openTestDatabase } from "../../test/template-database.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aWebhookEndpoint } from "../../test/webhook-fixture.ts";
import { readConfig } from "../config.ts";
import { createHint, openHints } from "../db/hints.ts";
import { createLog } from "../log.ts";
import { ChoreWatch } from "../loops/chore-watch.ts";
import { createMetrics } from "../metrics.ts";
import { sealEndpointSecret } from "../webhooks/endpoint-secret.ts";
import { notifiedChannel } from "../webhooks/webhook-loop.ts";
import { startWebhooks } from "./start-webhooks.ts";
import { Started } from "./started.ts";

const database = useTestDatabase();

test("a worker writes the envelope of a notification and posts it, signed, when the hint comes", async () => {
  const { db, url } = database;
  const config = readConfig(anEnvironment({ DATABASE_URL: url, WEBHOOK_PORTS: "any" }));
  const bodies: { body: string; headers: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push({ body, headers: request.headers });
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.

  const secret = randomBytes(32);
  const endpoint = await aWebhookEndpoint(db, { url: `http://127.0.0.1:${port}/`, sealedSecrets: [] });
  const { id, accountId } = endpoint;
  await change(db, "update webhook_endpoints set types = '{domain.failed}' where id = $1", [id]);
  const sealed = sealEndpointSecret(config.secrets.contentKey, id, secret);
  const addSecret =
    "insert into webhook_secrets (id, endpoint_id, account_id, sealed) values (gen_random_uuid(), $1, $2, $3)";
  await change(db, addSecret, [id, accountId, sealed]);
  await change(db, "insert into webhook_networks (account_id, network) values ($1, '127.0.0.0/8')", [accountId]);

  const own = openTestDatabase(url);
  const hints = openHints({ directUrl: url, log: createLog("silent") });
  const webhooks = startWebhooks({
    config: { ...config, webhooks: { ports: "any", allowsHttp: true } },
    db,
    openDatabase: () => own,
    hints,
    log: createLog("silent"),
    metrics: createMetrics(),
    started: new Started(),
    chores: new ChoreWatch(),
  });
  onTestFinished(async () => {
    await webhooks.stop();
    await hints.close();
    await own.close();
  });
  await change(
    db,
    "select notify_account($1, 'live', 'domain.failed', jsonb_build_object('id', gen_random_uuid(), 'domain', 'shop.test'))",
    [accountId],
  );
  createHint(db, notifiedChannel)();
  await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(1);
  const [{ body, headers } = { body: "", headers: {} }] = bodies;
  expect(JSON.parse(body)).toMatchObject({ type: "domain.failed", data: { domain: { domain: "shop.test" } } });
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", secret).update(signed).digest("base64")}`);
  await expect.poll(() => change(db, "select state from webhook_deliveries")).toEqual([{ state: "delivered" }]);
});
