import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, anAccount, anApiKey } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { aDelivery, aListener, aWebhook } from "../../../../test/webhook-builders.ts";
import { pendingDeliveries } from "../../../../test/webhook-fixture.ts";
import type { KeyScope } from "../../../api-keys/scopes.ts";
import type { Mode } from "../../../mode.ts";
import { notificationTypes } from "../../../webhooks/notification-types.ts";

const api = useTestApi();
const path = "/api/v1/webhooks";
const listeners = `${path}/listeners`;
const bothScopes: KeyScope[] = ["webhooks", "read"];

describe("POST /api/v1/webhooks/listeners", () => {
  test("201 returns a listener for a minute, for all types and the mode of the key unless the body says otherwise", async () => {
    const accountId = await anAccount(api.database.db);
    const key = await aKey(accountId, "test");
    const { status, json } = await call(key, "POST", listeners, {});
    expect(status).toBe(201);
    expect(json()).toEqual({
      webhook_id: expect.any(String),
      types: [...notificationTypes],
      mode: "test",
      listens_until: expect.any(String),
    });
    expect(Math.abs(Date.parse(json().listens_until) - Date.now() - 60_000)).toBeLessThan(20_000);
    const chosen = { types: ["send.bounced"], mode: "test" };
    expect((await call(key, "POST", listeners, chosen)).json()).toMatchObject(chosen);
    const entries = await auditRows(api.database.db, accountId, "webhook.create");
    expect(entries).toMatchObject([{ actor_kind: "key", target_name: "postern listen" }, { actor_kind: "key" }]);
  });

  test("a JWT chooses the mode, by default live", async () => {
    const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps, { role: "developer" });
    expect((await call(accessToken, "POST", listeners, {})).json().mode).toBe("live");
    expect((await call(accessToken, "POST", listeners, { mode: "test" })).json().mode).toBe("test");
  });

  test("422 when the account has ten webhooks, listeners included", async () => {
    const accountId = await anAccount(api.database.db);
    for (let made = 0; made < 8; made++) await aWebhook(api.database.db, { accountId });
    const key = await aKey(accountId);
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(key, "POST", listeners, {})));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 422, 422, 422, 422]);
    const webhook = { url: "https://hooks.example.com/", types: ["send.sent"] };
    expect((await call(key, "POST", path, webhook)).status).toBe(422);
  });

  test.for([
    [{ types: [] }, "types"],
    [{ types: ["send.opened"] }, "types[0]"],
    [{ types: ["send.sent", "send.sent"] }, "types"],
    [{ mode: "test" }, "mode"],
    [{ url: "https://hooks.example.com/" }, "url"],
  ] as const)("422 for %j with a live key names %s", async ([given, field]) => {
    const key = await aKey(await anAccount(api.database.db));
    const { status, json } = await call(key, "POST", listeners, given);
    expect([status, json().error.details.map((detail: { field: string }) => detail.field)]).toEqual([422, [field]]);
  });

  test("401 for a key without the scopes webhooks and read, 403 for a viewer, of both routes", async () => {
    const { accountId, accessToken } = await aLogin(api.database.db, api.deps.loginDeps, { role: "viewer" });
    const { id } = await aListener(api.database.db, { accountId });
    for (const [url, given] of [
      [listeners, {}],
      [`${listeners}/${id}/take`, {}],
    ] as const) {
      expect((await call(await aKey(accountId, "live", ["send", "read"]), "POST", url, given)).status).toBe(401);
      expect((await call(await aKey(accountId, "live", ["webhooks"]), "POST", url, given)).status).toBe(401);
      expect((await call(accessToken, "POST", url, given)).status).toBe(403);
    }
  });
});

describe("POST /api/v1/webhooks/listeners/:id/take", () => {
  test("200 returns what waits with its exact bytes, oldest first and once, and extends the listener", async () => {
    const { db } = api.database;
    const listener = await aListener(db, { seconds: 5 });
    const key = await aKey(listener.accountId);
    const envelope = '{ "type":"send.sent", "ü": 1.0 }';
    await pendingDeliveries(db, listener, { count: 3, envelope });
    const stored = await change(db, "select public_id from notifications where account_id = $1 order by id", [
      listener.accountId,
    ]);
    const expected = stored.map(({ public_id }) => ({ notification_id: public_id, type: "send.sent", body: envelope }));
    const first = await take(key, listener.id, { limit: 1 });
    const rest = await take(key, listener.id);
    expect([first.status, rest.status]).toEqual([200, 200]);
    expect([...first.json().notifications, ...rest.json().notifications]).toEqual(expected);
    expect(Date.parse(rest.json().listens_until)).toBeGreaterThan(Date.now() + 40_000);
    expect((await take(key, listener.id)).json().notifications).toEqual([]);
  });

  test("of two requests at the same time none returns what the other returns", async () => {
    const listener = await aListener(api.database.db);
    const key = await aKey(listener.accountId);
    await pendingDeliveries(api.database.db, listener, { count: 80 });
    const answers = await Promise.all([take(key, listener.id), take(key, listener.id)]);
    const counts = answers.map((answer) => answer.json().notifications.length);
    expect(counts.toSorted((a, b) => a - b)).toEqual([30, 50]);
    const ids = answers.flatMap((answer) =>
      answer.json().notifications.map(({ notification_id }: { notification_id: string }) => notification_id),
    );
    expect(new Set(ids).size).toBe(80);
  });

  test("404 for a listener of another account, of the other mode, an expired one, a webhook, an unknown and a malformed id", async () => {
    const { db } = api.database;
    const { id, accountId } = await aListener(db);
    const key = await aKey(accountId);
    const { id: expired } = await aListener(db, { accountId, seconds: -1 });
    for (const [credential, wanted] of [
      [await aKey(await anAccount(db)), id],
      [await aKey(accountId, "test"), id],
      [key, expired],
      [key, await aWebhook(db, { accountId })],
      [key, randomUUIDv7()],
      [key, "x"],
    ] as const) {
      const { status, json } = await take(credential, wanted);
      expect([status, json().error.message]).toEqual([404, expect.stringContaining("create another one")]);
    }
    expect((await take(key, id)).status).toBe(200);
  });

  test.for([[{ limit: 51 }], [{ limit: -1 }], [{ limit: 0.5 }], [{ max: 1 }]] as const)(
    "422 for %j",
    async ([given]) => {
      const { id, accountId } = await aListener(api.database.db);
      expect((await take(await aKey(accountId), id, given)).status).toBe(422);
    },
  );
});

describe("the other routes of webhooks", () => {
  const replay = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };

  test("do not show a listener, and answer 404 for its id", async () => {
    const { db } = api.database;
    const { id, accountId } = await aListener(db);
    const deliveryId = await aDelivery(db, { accountId, endpointId: id });
    const key = await aKey(accountId);
    expect((await call(key, "GET", path)).json()).toEqual([]);
    const before = await change(db, "select e::text as text from webhook_endpoints e where id = $1", [id]);
    for (const [method, suffix, given] of [
      ["GET", "", undefined],
      ["PATCH", "", { enabled: false }],
      ["POST", "/rotate", {}],
      ["POST", "/test", { type: "send.sent" }],
      ["GET", "/deliveries", undefined],
      ["GET", `/deliveries/${deliveryId}`, undefined],
      ["POST", `/deliveries/${deliveryId}/replay`, undefined],
      ["POST", "/replay", replay],
      ["GET", "/replays", undefined],
    ] as const) {
      const { status } = await call(key, method, `${path}/${id}${suffix}`, given);
      expect([method, suffix, status]).toEqual([method, suffix, 404]);
    }
    expect(await change(db, "select e::text as text from webhook_endpoints e where id = $1", [id])).toEqual(before);
    expect(await change(db, "select from webhook_queue where endpoint_id = $1", [id])).toEqual([]);
  });

  test("DELETE ends a listener and cancels what waits", async () => {
    const { db } = api.database;
    const { id, accountId } = await aListener(db);
    const key = await aKey(accountId);
    await aDelivery(db, { accountId, endpointId: id, state: "pending" });
    expect((await call(key, "DELETE", `${path}/${id}`)).status).toBe(200);
    expect((await take(key, id)).status).toBe(404);
    const states = await change(db, "select state from webhook_deliveries where endpoint_id = $1", [id]);
    expect(states).toEqual([{ state: "cancelled" }]);
  });
});

async function aKey(accountId: string, type: Mode = "live", scopes = bothScopes) {
  return (await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type, scopes })).key;
}

function take(key: string, id: string, given: object = {}) {
  return call(key, "POST", `${listeners}/${id}/take`, given);
}

/** A JWT or an API key. */
function call(token: string, method: "GET" | "POST" | "PATCH" | "DELETE", url: string, given?: object) {
  return api.call({ method, path: url, token, ...(given !== undefined && { body: given }) });
}
