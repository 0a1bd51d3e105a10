import { randomUUIDv7 } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { aDelivery, aWebhook } from "../../../../test/webhook-builders.ts";

const api = useTestApi();

describe("GET /api/v1/webhooks/:id/deliveries", () => {
  test("200 lists the deliveries of this webhook, newest first, on pages that continue by cursor", async () => {
    const { call, accountId, endpointId, list } = await anEndpoint();
    const ids: string[] = [];
    for (let hoursAgo = 5; hoursAgo > 0; hoursAgo--) {
      ids.unshift(await aDelivery(api.database.db, { accountId, endpointId, hoursAgo }));
    }
    const other = await aWebhook(api.database.db, { accountId });
    await aDelivery(api.database.db, { accountId, endpointId: other });
    const first = await list("?limit=2");
    const second = await list(`?limit=2&before=${first.pagination.next_before}`);
    const third = await list(`?limit=2&before=${second.pagination.next_before}`);
    expect([first, second, third].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(third.pagination.next_before).toBeNull();
    expect((await call("GET", "?limit=101")).status).toBe(422);
  });

  test("shows the state, the last attempt and when the next one is", async () => {
    const { accountId, endpointId, list } = await anEndpoint();
    const id = await aDelivery(api.database.db, { accountId, endpointId, state: "pending" });
    await anAttempt(id, { accountId, endpointId, attempt: 1, status: 500 });
    await anAttempt(id, { accountId, endpointId, attempt: 2, status: 503 });
    const [delivery] = (await list("")).deliveries;
    expect(delivery).toMatchObject({
      delivery_id: id,
      type: "send.bounced",
      state: "pending",
      replay: false,
      test: false,
      finished_at: null,
      attempt_count: 2,
      next_attempt_at: expect.any(String),
      last_attempt: { status: 503, duration_ms: 12, failure: "The endpoint answered 503." },
    });
  });

  test("filters by state, also by those that only the queue knows", async () => {
    const { accountId, endpointId, list } = await anEndpoint();
    const states = ["pending", "delivering", "paused", "delivered", "failed", "cancelled"] as const;
    for (const state of states) {
      for (const hoursAgo of [2, 1]) await aDelivery(api.database.db, { accountId, endpointId, state, hoursAgo });
    }
    for (const state of states) {
      const found = await list(`?state=${state}&limit=1`);
      const rest = await list(`?state=${state}&limit=1&before=${found.pagination.next_before}`);
      expect([...found.deliveries, ...rest.deliveries].map((delivery) => delivery.state)).toEqual([state, state]);
      expect(rest.pagination.next_before).toBeNull();
    }
  });
});

describe("GET /api/v1/webhooks/:id/deliveries with filters", () => {
  test("filters by type and by time of creation, together with a state", async () => {
    const { accountId, endpointId, call, list } = await anEndpoint();
    const made = async (type: "send.sent" | "send.bounced", hoursAgo: number, state: "failed" | "delivered") =>
      aDelivery(api.database.db, { accountId, endpointId, type, hoursAgo, state });
    const [, old, wanted, recent] = [
      await made("send.sent", 3, "failed"),
      await made("send.bounced", 5, "failed"),
      await made("send.bounced", 3, "failed"),
      await made("send.bounced", 1, "delivered"),
    ];
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    expect(idsOf(await list("?type=send.bounced"))).toEqual([recent, wanted, old]);
    expect(idsOf(await list(`?type=send.bounced&state=failed&since=${ago(4)}`))).toEqual([wanted]);
    expect(idsOf(await list(`?type=send.bounced&until=${ago(4)}`))).toEqual([old]);
    expect(idsOf(await list(`?since=${ago(2)}`))).toEqual([recent]);
    for (const query of ["?type=send.opened", "?since=yesterday", "?send_id=1"])
      expect((await call("GET", query)).status).toBe(422);
  });

  test("filters by send, and each delivery names its send", async () => {
    const { accountId, endpointId, list } = await anEndpoint();
    const { db } = api.database;
    const sendId = randomUUIDv7();
    const first = await aDelivery(db, { accountId, endpointId, sendId, hoursAgo: 2, type: "send.sent" });
    const second = await aDelivery(db, { accountId, endpointId, sendId, hoursAgo: 1 });
    await aDelivery(db, { accountId, endpointId, sendId: randomUUIDv7() });
    await aDelivery(db, { accountId, endpointId });
    const other = await aWebhook(db, { accountId });
    await aDelivery(db, { accountId, endpointId: other, sendId });
    expect(idsOf(await list(`?send_id=${sendId}`))).toEqual([second, first]);
    expect(idsOf(await list(`?send_id=${sendId}&before=${second}`))).toEqual([first]);
    expect(idsOf(await list(`?send_id=${sendId}&type=send.sent`))).toEqual([first]);
    expect((await list(`?send_id=${sendId}`)).deliveries[0].send_id).toBe(sendId);
  });
});

describe("GET /api/v1/webhooks/:id/deliveries/:delivery_id", () => {
  test("200 shows every attempt with its answer, and the body that is sent", async () => {
    const { call, accountId, endpointId } = await anEndpoint();
    const id = await aDelivery(api.database.db, { accountId, endpointId, envelope: '{"a":1}', durationMs: 12 });
    await anAttempt(id, { accountId, endpointId, attempt: 1, status: 500 });
    await anAttempt(id, { accountId, endpointId, attempt: 2, status: 200 });
    const { status, json } = await call("GET", `/${id}`);
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      delivery_id: id,
      state: "delivered",
      duration_ms: 12,
      body: '{"a":1}',
      attempts: [
        { status: 500, failure: "The endpoint answered 500.", answer: "answer 1", duration_ms: 12 },
        { status: 200, failure: null, answer: "answer 2" },
      ],
    });
  });

  test("404 for a delivery of another webhook and for a malformed id", async () => {
    const { call, accountId } = await anEndpoint();
    const other = await aWebhook(api.database.db, { accountId });
    const id = await aDelivery(api.database.db, { accountId, endpointId: other });
    expect((await call("GET", `/${id}`)).status).toBe(404);
    expect((await call("GET", "/x")).status).toBe(404);
    expect((await call("POST", `/${id}/replay`)).status).toBe(404);
  });
});

describe("the request of an attempt", () => {
  test("has the URL and all headers as sent, the signature not for a viewer", async () => {
    const { call, accountId, endpointId } = await anEndpoint();
    const id = await aDelivery(api.database.db, { accountId, endpointId, envelope: '{"a":"€"}', state: "failed" });
    await anAttempt(id, { accountId, endpointId, attempt: 1, status: 500 });
    await change(
      api.database.db,
      "update webhook_attempts set url = 'https://old.test:8443/in?x=1', signature = 'v1,abc' where delivery_id = $1",
      [id],
    );
    await anAttempt(id, { accountId, endpointId, attempt: 2, status: 500 });
    const { body, attempts, notification_id } = (await call("GET", `/${id}`)).json();
    const headers = {
      "content-type": "application/json",
      "user-agent": "Postern-Webhooks/1",
      "webhook-id": notification_id,
      "webhook-timestamp": String(Math.floor(Date.parse(attempts[0].attempted_at) / 1000)),
      host: "old.test:8443",
      "content-length": String(Buffer.byteLength(body)),
      connection: "close",
    };
    expect(attempts.map((attempt: { request: unknown }) => attempt.request)).toEqual([
      { url: "https://old.test:8443/in?x=1", headers: { ...headers, "webhook-signature": "v1,abc" } },
      null,
    ]);
    const viewer = await aLogin(api.database.db, api.deps.loginDeps, { accountId, role: "viewer" });
    const path = `/api/v1/webhooks/${endpointId}/deliveries/${id}`;
    const shown = await api.call({ method: "GET", path, token: viewer.accessToken });
    expect(shown.json().attempts[0].request.headers).toEqual(headers);
  });
});

describe("POST /api/v1/webhooks/:id/deliveries/:delivery_id/curl", () => {
  test("200 gives a command with the body and id of the delivery, a fresh timestamp and signatures of all valid secrets", async () => {
    const { token, accountId } = await anEndpoint();
    const post = (path: string, body: Record<string, unknown>) =>
      api.call({ method: "POST", path: `/api/v1/webhooks${path}`, token, body });
    const created = (await post("", { url: "https://hooks.example.com/in", types: ["send.sent"] })).json();
    const rotated = (await post(`/${created.webhook_id}/rotate`, {})).json();
    const envelope = JSON.stringify({ type: "send.sent", data: { subject: "it's 5 %" } });
    const ids = { accountId, endpointId: created.webhook_id };
    const id = await aDelivery(api.database.db, { ...ids, type: "send.sent", envelope, state: "failed", hoursAgo: 30 });
    const { status, json } = await post(`/${created.webhook_id}/deliveries/${id}/curl`, {});
    expect(status).toBe(200);
    const { command, timestamp, expires_at } = json();
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60);
    expect(Date.parse(expires_at)).toBe((timestamp + 300) * 1000);
    expect(command).toContain("'https://hooks.example.com/in'");
    const headerOf = (name: string) => new RegExp(`-H '${name}: ([^']*)'`).exec(command)?.[1] ?? "";
    for (const { secret } of [created, rotated]) {
      const headers = Object.fromEntries(
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, headerOf(name)]),
      );
      expect(new Webhook(secret).verify(envelope, headers)).toEqual(JSON.parse(envelope));
      expect(command).not.toContain(secret);
    }
  });

  test("403 for a viewer, 409 when the body is no longer stored, 404 for an unknown delivery", async () => {
    const { call, accountId, endpointId } = await anEndpoint();
    const id = await aDelivery(api.database.db, { accountId, endpointId });
    const viewer = await aLogin(api.database.db, api.deps.loginDeps, { accountId, role: "viewer" });
    const path = `/api/v1/webhooks/${endpointId}/deliveries/${id}/curl`;
    expect((await api.call({ method: "POST", path, token: viewer.accessToken })).status).toBe(403);
    const unstored = await aDelivery(api.database.db, { accountId, endpointId, envelope: null });
    expect((await call("POST", `/${unstored}/curl`)).status).toBe(409);
    expect((await call("POST", `/${randomUUIDv7()}/curl`)).status).toBe(404);
    expect(await auditRows(api.database.db, accountId, "webhook.curl")).toEqual([]);
    expect((await call("POST", `/${id}/curl`)).status).toBe(200);
    expect(await auditRows(api.database.db, accountId, "webhook.curl")).toMatchObject([{ target_id: endpointId }]);
  });
});

describe("POST /api/v1/webhooks/:id/deliveries/:delivery_id/replay", () => {
  test("202 makes a new delivery of the same notification", async () => {
    const { call, accountId, endpointId } = await anEndpoint();
    const id = await aDelivery(api.database.db, { accountId, endpointId, state: "failed" });
    const { status, json } = await call("POST", `/${id}/replay`);
    expect(status).toBe(202);
    const [first, replay] = await change(
      api.database.db,
      "select id, notification_id, public_id, type, state, is_replay from webhook_deliveries where endpoint_id = $1 order by is_replay",
      [endpointId],
    );
    expect(first).toMatchObject({ id, state: "failed", is_replay: false });
    expect(replay).toEqual({ ...first, id: json().delivery_id, state: "pending", is_replay: true });
    expect(
      await change(api.database.db, "select delivery_id, state from webhook_queue where endpoint_id = $1", [
        endpointId,
      ]),
    ).toEqual([{ delivery_id: replay?.id, state: "pending" }]);
  });

  test("409 when the body is no longer stored, and when the webhook is disabled", async () => {
    const { call, accountId, endpointId } = await anEndpoint();
    const unstored = await aDelivery(api.database.db, { accountId, endpointId, envelope: null });
    expect((await call("POST", `/${unstored}/replay`)).json().error.message).toContain("no longer stored");
    const stored = await aDelivery(api.database.db, { accountId, endpointId });
    const disable = "update webhook_endpoints set disabled_at = now(), disabled_reason = 'gone' where id = $1";
    await change(api.database.db, disable, [endpointId]);
    const { status, json } = await call("POST", `/${stored}/replay`);
    expect([status, json().error.message]).toEqual([409, expect.stringContaining("disabled")]);
  });
});

async function anEndpoint() {
  const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
  const endpointId = await aWebhook(api.database.db, { accountId });
  const call = (method: "GET" | "POST", suffix: string) =>
    api.call({ method, path: `/api/v1/webhooks/${endpointId}/deliveries${suffix}`, token });
  const list = async (query: string) => (await call("GET", query)).json().data;
  return { accountId, endpointId, token, call, list };
}

interface AttemptOptions {
  accountId: string;
  endpointId: string;
  attempt: number;
  status: number;
}

function anAttempt(deliveryId: string, { accountId, endpointId, attempt, status }: AttemptOptions) {
  const failure = status < 300 ? null : `The endpoint answered ${status}.`;
  return change(
    api.database.db,
    `insert into webhook_attempts (id, delivery_id, account_id, endpoint_id, attempt, duration_ms, status, answer, failure)
     values (new_id_at(now() + $4 * interval '1 s'), $1, $2, $3, $4, 12, $5, 'answer ' || $4, $6)`,
    [deliveryId, accountId, endpointId, attempt, status, failure],
  );
}

function idsOf({ deliveries }: { deliveries: { delivery_id: string }[] }) {
  return deliveries.map(({ delivery_id }) => delivery_id);
}
