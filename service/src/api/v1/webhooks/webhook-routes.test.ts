import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { aDelivery, aWebhook } from "../../../../test/webhook-builders.ts";
import type { Role } from "../../../accounts/role.ts";
import { openEndpointSecret } from "../../../webhooks/endpoint-secret.ts";
import { allowWebhookNetwork } from "../../../webhooks/network-store.ts";
import { notificationTypes } from "../../../webhooks/notification-types.ts";
import { notificationSchemas } from "./notification-wire.ts";

const api = useTestApi();
const path = "/api/v1/webhooks";
const body = { url: "https://hooks.example.com/postern", types: ["send.bounced"] };

describe("POST /api/v1/webhooks", () => {
  test("201 returns the webhook with a secret of 32 bytes that is stored sealed, and no other response has it", async () => {
    const { token, accountId } = await aUserOf();
    const { status, json } = await call(token, "POST", path, { ...body, description: "orders" });
    const created = json();
    expect(status).toBe(201);
    expect(created).toMatchObject({ ...body, description: "orders", mode: "live", status: "enabled" });
    expect(created).toMatchObject({ disabled_reason: null, failing_since: null, success_rate: null, p95_ms: null });
    expect(created.secrets).toEqual([{ created_at: created.created_at, expires_at: null }]);

    const bytes = Buffer.from(created.secret.replace(/^whsec_/, ""), "base64");
    expect([created.secret.startsWith("whsec_"), bytes.length]).toEqual([true, 32]);
    const [row] = await change(api.database.db, "select sealed from webhook_secrets where account_id = $1", [
      accountId,
    ]);
    const sealed = row?.sealed as Buffer;
    expect(sealed.includes(bytes)).toBe(false);
    expect(openEndpointSecret(api.deps.webhooks.contentKeys, created.webhook_id, sealed)).toEqual(bytes);
    expect(() => openEndpointSecret(api.deps.webhooks.contentKeys, randomUUIDv7(), sealed)).toThrow();

    const { secret: _, ...shown } = created;
    expect((await call(token, "GET", `${path}/${created.webhook_id}`)).json()).toEqual(shown);
    expect((await call(token, "GET", path)).json()).toEqual([shown]);
  });

  test("the mode is that of the key, or for a JWT the one in the body", async () => {
    const { token, accountId } = await aUserOf();
    expect((await call(token, "POST", path, { ...body, mode: "test" })).json().mode).toBe("test");
    const key = await aKey(accountId, "test");
    expect((await call(key, "POST", path, body)).json().mode).toBe("test");
    const { status, json } = await call(key, "POST", path, { ...body, mode: "live" });
    expect([status, json().error.details[0].field]).toEqual([422, "mode"]);
  });

  test("of 16 requests at the same time ten create a webhook; the others are 422", async () => {
    const { token, accountId } = await aUserOf();
    const answers = await Promise.all(Array.from({ length: 16 }, () => call(token, "POST", path, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(6);
    const rows = await change(api.database.db, "select id from webhook_endpoints where account_id = $1", [accountId]);
    expect(rows).toHaveLength(10);
  });

  test.for([
    [{ url: "http://hooks.example.com" }, "url"],
    [{ url: "https://user:pass@hooks.example.com" }, "url"],
    [{ url: "hooks.example.com" }, "url"],
    [{ url: undefined }, "url"],
    [{ types: [] }, "types"],
    [{ types: ["send.opened"] }, "types[0]"],
    [{ types: ["send.sent", "send.sent"] }, "types"],
    [{ mode: "both" }, "mode"],
    [{ description: "a\nb" }, "description"],
  ] as const)("422 for %j names %s", async ([fields, field]) => {
    const { token } = await aUserOf();
    const { status, json } = await call(token, "POST", path, { ...body, ...fields });
    expect([status, json().error.details.map((detail: { field: string }) => detail.field)]).toEqual([422, [field]]);
  });

  test("an address in a network that the operator allows is accepted, and 422 elsewhere", async () => {
    const { token, accountId } = await aUserOf();
    const given = { ...body, url: "https://10.1.2.3/hooks" };
    const { status, json } = await call(token, "POST", path, given);
    expect([status, json().error.message]).toEqual([422, expect.stringContaining("not public")]);
    await allowWebhookNetwork(api.database.db, accountId, "10.0.0.0/8");
    expect((await call(token, "POST", path, given)).status).toBe(201);
  });

  test("401 for a key without the scopes webhooks and read, 403 for a viewer", async () => {
    const { accountId } = await aUserOf();
    for (const scopes of [["send", "read"], ["webhooks"]] as const) {
      const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { scopes: [...scopes] });
      const { status, json } = await call(key, "POST", path, body);
      expect([status, json().error.message]).toEqual([401, expect.stringContaining("`webhooks` and the scope `read`")]);
    }
    const viewer = await aUserOf("viewer", accountId);
    expect((await call(viewer.token, "POST", path, body)).status).toBe(403);
    expect((await call(viewer.token, "GET", path)).status).toBe(200);
  });
});

describe("GET /api/v1/webhooks/:id", () => {
  test("shows the share of ended deliveries of the last day that succeeded, and the time that 95 of 100 took", async () => {
    const { token, accountId } = await aUserOf();
    const { db } = api.database;
    const endpointId = await aWebhook(db, { accountId });
    const delivery = { accountId, endpointId };
    for (let ms = 1; ms <= 20; ms++) await aDelivery(db, { ...delivery, durationMs: ms });
    for (const state of ["failed", "failed", "failed", "failed", "failed", "pending", "cancelled"] as const) {
      await aDelivery(db, { ...delivery, state });
    }
    await aDelivery(db, { ...delivery, state: "failed", hoursAgo: 25 });
    expect((await call(token, "GET", `${path}/${endpointId}`)).json()).toMatchObject({ success_rate: 0.8, p95_ms: 19 });
  });

  test("404 for a webhook of another account, of the other mode, an unknown and a malformed id", async () => {
    const { accountId } = await aUserOf();
    const other = await aUserOf();
    const id = await aWebhook(api.database.db, { accountId });
    for (const [credential, wanted] of [
      [other.token, id],
      [await aKey(accountId, "test"), id],
      [await aKey(accountId, "live"), randomUUIDv7()],
      [await aKey(accountId, "live"), "x"],
    ] as const) {
      for (const [method, suffix, given] of actions) {
        expect([method, suffix, (await call(credential, method, `${path}/${wanted}${suffix}`, given)).status]).toEqual([
          method,
          suffix,
          404,
        ]);
      }
    }
    expect(await change(api.database.db, "select id from webhook_endpoints where id = $1", [id])).toHaveLength(1);
  });

  test("a key reads only the webhooks of its mode", async () => {
    const { accountId } = await aUserOf();
    for (const mode of ["live", "test"] as const) await aWebhook(api.database.db, { accountId, mode });
    const listed = (await call(await aKey(accountId, "test"), "GET", path)).json();
    expect(listed.map(({ mode }: { mode: string }) => mode)).toEqual(["test"]);
  });
});

describe("PATCH /api/v1/webhooks/:id", () => {
  test("200 changes what is given and nothing else", async () => {
    const { token, accountId } = await aUserOf();
    const id = await aWebhook(api.database.db, { accountId });
    const given = { url: "https://other.example.com/", types: ["send.failed"], description: "new" };
    expect((await call(token, "PATCH", `${path}/${id}`, given)).json()).toMatchObject({ ...given, status: "enabled" });
    const { url, types } = given;
    const without = await call(token, "PATCH", `${path}/${id}`, { description: null });
    expect(without.json()).toMatchObject({ url, types, description: null });
  });

  test("disabling pauses what waits, and enabling makes it due and forgets failures", async () => {
    const { token, accountId } = await aUserOf();
    const { db } = api.database;
    const endpointId = await aWebhook(db, { accountId });
    const deliveryId = await aDelivery(db, { accountId, endpointId, state: "pending" });
    const leased = await aDelivery(db, { accountId, endpointId, state: "delivering" });
    await change(db, "update webhook_queue set due_at = now() + interval '1 hour' where delivery_id = $1", [
      deliveryId,
    ]);
    await change(db, "update webhook_endpoints set failing_since = now(), failed_deliveries = 3 where id = $1", [
      endpointId,
    ]);
    const failing = (await call(token, "GET", `${path}/${endpointId}`)).json();
    expect(failing.status).toBe("failing");

    const disabled = (await call(token, "PATCH", `${path}/${endpointId}`, { enabled: false })).json();
    expect(disabled).toMatchObject({
      status: "disabled",
      disabled_reason: "user",
      failing_since: failing.failing_since,
    });
    expect(await queued(endpointId)).toEqual([
      { delivery_id: leased, state: "delivering", is_due: true },
      { delivery_id: deliveryId, state: "paused", is_due: false },
    ]);
    expect(await hasWebhooks(accountId)).toBe(false);

    const enabled = (await call(token, "PATCH", `${path}/${endpointId}`, { enabled: true })).json();
    expect(enabled).toMatchObject({ status: "enabled", disabled_reason: null, failing_since: null });
    expect((await queued(endpointId))[1]).toEqual({ delivery_id: deliveryId, state: "pending", is_due: true });
    expect(await hasWebhooks(accountId)).toBe(true);
    const [row] = await change(db, "select failed_deliveries from webhook_endpoints where id = $1", [endpointId]);
    expect(row).toEqual({ failed_deliveries: 0 });
  });

  test.for([[{}], [{ url: "ftp://a.test" }], [{ mode: "test" }], [{ types: [] }], [{ enabled: "yes" }]] as const)(
    "422 for %j",
    async ([given]) => {
      const { token, accountId } = await aUserOf();
      const id = await aWebhook(api.database.db, { accountId });
      expect((await call(token, "PATCH", `${path}/${id}`, given)).status).toBe(422);
    },
  );
});

describe("DELETE /api/v1/webhooks/:id", () => {
  test("200 deletes it and its secrets, and cancels its deliveries that did not end, whatever their state", async () => {
    const { token, accountId } = await aUserOf();
    const { db } = api.database;
    const endpointId = await aWebhook(db, { accountId });
    const other = await aWebhook(db, { accountId });
    const kept = await aDelivery(db, { accountId, endpointId: other, state: "pending" });
    for (const state of ["pending", "delivering", "paused", "delivered", "failed"] as const) {
      await aDelivery(db, { accountId, endpointId, state });
    }
    expect((await call(token, "DELETE", `${path}/${endpointId}`)).status).toBe(200);
    expect((await call(token, "GET", `${path}/${endpointId}`)).status).toBe(404);
    const states = await change(db, "select state from webhook_deliveries where endpoint_id = $1 order by state", [
      endpointId,
    ]);
    expect(states.map(({ state }) => state)).toEqual(["cancelled", "cancelled", "cancelled", "delivered", "failed"]);
    expect(await queued(endpointId)).toEqual([]);
    expect((await queued(other)).map((row) => row.delivery_id)).toEqual([kept]);
    expect(await change(db, "select id from webhook_secrets where endpoint_id = $1", [endpointId])).toEqual([]);
    expect((await call(token, "DELETE", `${path}/${endpointId}`)).status).toBe(404);
  });
});

describe("POST /api/v1/webhooks/:id/rotate", () => {
  test("200 returns a new secret, and the old one ends after the overlap, by default a day", async () => {
    const { token } = await aUserOf();
    const created = (await call(token, "POST", path, body)).json();
    const { status, json } = await call(token, "POST", `${path}/${created.webhook_id}/rotate`, {});
    const rotated = json();
    expect(status).toBe(200);
    expect(rotated.secret).not.toBe(created.secret);
    expect(Math.abs(Date.parse(rotated.previous_secrets_end_at) - Date.now() - 86_400_000)).toBeLessThan(60_000);
    expect(rotated.secrets).toEqual([
      { created_at: expect.any(String), expires_at: null },
      { created_at: created.created_at, expires_at: rotated.previous_secrets_end_at },
    ]);
  });

  test("a third earlier secret is 422, except with overlap 0, which ends all of them", async () => {
    const { token, accountId } = await aUserOf();
    const id = await aWebhook(api.database.db, { accountId });
    const rotate = (given: object) => call(token, "POST", `${path}/${id}/rotate`, given);
    expect((await rotate({ overlap_seconds: 600 })).status).toBe(200);
    expect((await rotate({ overlap_seconds: 6000 })).status).toBe(200);
    const { status, json } = await rotate({});
    expect([status, json().error.details[0].field]).toEqual([422, "overlap_seconds"]);
    expect((await rotate({ overlap_seconds: 0 })).json().secrets).toHaveLength(1);
    expect((await rotate({ overlap_seconds: 60 })).json().secrets).toHaveLength(2);
  });

  test("of four rotations at the same time one secret is newest, and each that answers 200 still signs", async () => {
    const { token, accountId } = await aUserOf();
    const id = await aWebhook(api.database.db, { accountId });
    const rotate = () => call(token, "POST", `${path}/${id}/rotate`, { overlap_seconds: 60 });
    const answers = await Promise.all([1, 2, 3, 4].map(rotate));
    const rotated = answers.filter(({ status }) => status === 200);
    expect(rotated).toHaveLength(2);
    const { secrets } = (await call(token, "GET", `${path}/${id}`)).json();
    expect(secrets.map(({ expires_at }: { expires_at: string | null }) => expires_at === null)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.for([{ overlap_seconds: -1 }, { overlap_seconds: 604_801 }, { overlap: 1 }])("422 for %j", async (given) => {
    const { token, accountId } = await aUserOf();
    const id = await aWebhook(api.database.db, { accountId });
    expect((await call(token, "POST", `${path}/${id}/rotate`, given)).status).toBe(422);
  });
});

describe("POST /api/v1/webhooks/:id/test", () => {
  test.for(notificationTypes)("202 stores an example of %s for this webhook alone, marked as a test", async (type) => {
    const { token, accountId } = await aUserOf();
    const { db } = api.database;
    const id = await aWebhook(db, { accountId, mode: "test", types: ["send.sent"] });
    await aWebhook(db, { accountId, mode: "test" });
    const { status, json } = await call(token, "POST", `${path}/${id}/test`, { type });
    const { delivery_id, notification_id } = json();
    expect(status).toBe(202);
    const [row] = await change(db, "select public_id, mode, type, envelope from notifications where account_id = $1", [
      accountId,
    ]);
    expect(row).toMatchObject({ public_id: notification_id, mode: "test", type });
    const envelope = JSON.parse(String(row?.envelope));
    expect(envelope).toMatchObject({ type, mode: "test", data: { test: true } });
    expect(notificationSchemas[type].parse(envelope)).toEqual(envelope);
    const stored = "select id, endpoint_id, is_test, is_replay, state from webhook_deliveries where account_id = $1";
    expect(await change(db, stored, [accountId])).toEqual([
      { id: delivery_id, endpoint_id: id, is_test: true, is_replay: false, state: "pending" },
    ]);
    expect(await queued(id)).toEqual([{ delivery_id, state: "pending", is_due: true }]);
  });

  test("409 for a disabled webhook, 422 for an unknown type", async () => {
    const { token, accountId } = await aUserOf();
    const id = await aWebhook(api.database.db, { accountId });
    expect((await call(token, "POST", `${path}/${id}/test`, { type: "send.opened" })).status).toBe(422);
    await call(token, "PATCH", `${path}/${id}`, { enabled: false });
    expect((await call(token, "POST", `${path}/${id}/test`, { type: "send.sent" })).status).toBe(409);
    expect(await queued(id)).toEqual([]);
  });
});

/** Every request that names a webhook. */
const actions = [
  ["GET", "", undefined],
  ["PATCH", "", { enabled: false }],
  ["POST", "/rotate", {}],
  ["POST", "/test", { type: "send.sent" }],
  ["GET", "/deliveries", undefined],
  ["GET", `/deliveries/${randomUUIDv7()}`, undefined],
  ["POST", `/deliveries/${randomUUIDv7()}/replay`, undefined],
  ["DELETE", "", undefined],
] as const;

async function aUserOf(role: Role = "developer", accountId?: string) {
  const options = accountId === undefined ? { role } : { role, accountId };
  const { accessToken, ...user } = await aLogin(api.database.db, api.deps.loginDeps, options);
  return { token: accessToken, accountId: user.accountId };
}

async function aKey(accountId: string, type: "live" | "test") {
  const options = { type, scopes: ["read" as const, "webhooks" as const] };
  return (await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, options)).key;
}

/** A JWT or an API key. */
function call(token: string, method: "GET" | "POST" | "PATCH" | "DELETE", url: string, given?: object) {
  return api.call({ method, path: url, token, ...(given !== undefined && { body: given }) });
}

function queued(endpointId: string) {
  const text = "select delivery_id, state, due_at <= now() as is_due from webhook_queue where endpoint_id = $1";
  return change(api.database.db, `${text} order by state`, [endpointId]);
}

async function hasWebhooks(accountId: string) {
  const [row] = await change(api.database.db, "select has_webhooks from accounts where id = $1", [accountId]);
  return row?.has_webhooks;
}
