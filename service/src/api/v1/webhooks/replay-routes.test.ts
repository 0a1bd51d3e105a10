import { describe, expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { aWebhook } from "../../../../test/webhook-builders.ts";

const api = useTestApi();
const hour = 3_600_000;
const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const lastDay = { from: at(-24 * hour), to: at(-hour) };

describe("POST /api/v1/webhooks/:id/replay", () => {
  test("202 starts a replay, which the list and its own address show", async () => {
    const { call, endpointId } = await anOwnWebhook();
    const { status, body } = await call("POST", "/replay", lastDay);
    expect(status).toBe(202);
    expect(body).toMatchObject({ ...lastDay, state: "running", progress: 0, deliveries: 0, finished_at: null });
    expect((await call("GET", "/replays")).body).toEqual([body]);
    expect((await call("GET", `/replays/${body.replay_id}`)).body).toEqual(body);
    const audited = await change(
      api.database.db,
      "select after from audit_entries where target_id = $1 and action = 'webhook.replay-range'",
      [endpointId],
    );
    expect(audited).toMatchObject([{ after: { replay_id: body.replay_id } }]);
  });

  test("a range that ends in the future ends now", async () => {
    const { call } = await anOwnWebhook();
    const { body } = await call("POST", "/replay", { from: at(-hour), to: at(hour) });
    expect(body.to).toBe(body.created_at);
  });

  test("404 for a webhook of another account and for an unknown one", async () => {
    const { endpointId } = await anOwnWebhook();
    const other = await anOwnWebhook();
    for (const id of [endpointId, "nothing"]) {
      const path = `/api/v1/webhooks/${id}/replay`;
      expect((await api.call({ method: "POST", path, token: other.token, body: lastDay })).status).toBe(404);
    }
  });

  test("409 while another replay of the webhook runs, also for requests that race, and when it is disabled", async () => {
    const { call, endpointId } = await anOwnWebhook();
    const answers = await Promise.all([1, 2, 3, 4].map(() => call("POST", "/replay", lastDay)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409]);
    const [started] = (await call("GET", "/replays")).body;
    await call("POST", `/replays/${started.replay_id}/cancel`);
    expect((await call("POST", "/replay", lastDay)).status).toBe(202);
    await change(
      api.database.db,
      "update webhook_endpoints set disabled_at = now(), disabled_reason = 'user' where id = $1",
      [endpointId],
    );
    expect((await call("POST", "/replay", lastDay)).body.error.message).toContain("disabled");
  });

  test.for([
    ["a range that is too long", { from: at(-40 * 24 * hour), to: at(-hour) }, "to"],
    ["a range that ends before it starts", { from: at(-hour), to: at(-2 * hour) }, "to"],
    ["a range in the future", { from: at(hour), to: at(2 * hour) }, "from"],
    ["a time without a zone", { from: "2026-11-01T00:00:00", to: at(-hour) }, "from"],
    ["no end", { from: at(-hour) }, "to"],
  ] as const)("422 for %s", async ([, body, field]) => {
    const { call } = await anOwnWebhook();
    const answer = await call("POST", "/replay", body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject([{ field }]);
  });
});

test("422 with the first time that is kept, for a range whose records are dropped", async () => {
  const { call } = await anOwnWebhook();
  await change(api.database.db, "update record_retention set dropped_before = '2026-08-01T00:00Z'");
  const dropped = await call("POST", "/replay", { from: "2026-07-20T00:00:00Z", to: "2026-08-10T00:00:00Z" });
  expect(dropped).toMatchObject({
    status: 422,
    body: {
      error: {
        details: [
          {
            field: "from",
            message: "from must not be before 2026-08-01T00:00:00.000Z: earlier records are dropped.",
          },
        ],
      },
    },
  });
  const stored = await call("POST", "/replay", { from: "2026-08-01T00:00:00Z", to: "2026-08-10T00:00:00Z" });
  expect(stored.status).toBe(202);
  await change(api.database.db, "update record_retention set dropped_before = null");
});

describe("GET /api/v1/webhooks/:id/replays/:replay_id", () => {
  test("404 for a replay of another webhook and for an unknown one", async () => {
    const { call } = await anOwnWebhook();
    const other = await anOwnWebhook();
    const { body } = await other.call("POST", "/replay", lastDay);
    expect((await call("GET", `/replays/${body.replay_id}`)).status).toBe(404);
    expect((await call("GET", "/replays/nothing")).status).toBe(404);
  });
});

describe("POST /api/v1/webhooks/:id/replays/:replay_id/cancel", () => {
  test("200 ends it, 409 when it has ended, 404 for one of another account", async () => {
    const { call } = await anOwnWebhook();
    const { body } = await call("POST", "/replay", lastDay);
    const other = await anOwnWebhook();
    expect((await other.call("POST", `/replays/${body.replay_id}/cancel`)).status).toBe(404);
    const cancelled = await call("POST", `/replays/${body.replay_id}/cancel`);
    expect(cancelled.status).toBe(200);
    expect(cancelled.body).toMatchObject({ state: "cancelled", finished_at: expect.any(String) });
    expect((await call("POST", `/replays/${body.replay_id}/cancel`)).status).toBe(409);
  });
});

async function anOwnWebhook() {
  const { db } = api.database;
  const { accountId, accessToken: token } = await aLogin(db, api.deps.loginDeps);
  const endpointId = await aWebhook(db, { accountId });
  const call = async (method: "GET" | "POST", suffix: string, body?: unknown) => {
    const path = `/api/v1/webhooks/${endpointId}${suffix}`;
    const { status, json } = await api.call({ method, path, token, ...(body !== undefined && { body }) });
    return { status, body: json() };
  };
  return { endpointId, token, call };
}
