import { describe, expect, test } from "vitest";
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
  return { accountId, endpointId, call, list };
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
