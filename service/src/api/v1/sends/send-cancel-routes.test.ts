import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send, statusOf } = useSendingApi();

type Credential = { key?: string; token?: string };

function cancel(id: string, credential: Credential, query = "") {
  return api.call({ method: "POST", path: `/api/v1/send/${id}/cancel${query}`, ...credential });
}

function cancelByKey(idempotencyKey: string, credential: Credential, query = "") {
  const body = { idempotency_key: idempotencyKey };
  return api.call({ method: "POST", path: `/api/v1/send/cancel${query}`, body, ...credential });
}

async function setState(id: string, state: string) {
  await change(api.database.db, "update send_queue set state = $2, due_at = now() where id = $1", [id, state]);
}

describe("POST /api/v1/send/:id/cancel returns 200", () => {
  test("with the record of the cancelled send, and again for the same send", async () => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    const cancelled = await cancel(id, sender);
    expect([cancelled.status, cancelled.json().status, cancelled.json().error_code]).toEqual([
      200,
      "failed",
      "CANCELLED",
    ]);
    expect((await statusOf(id, sender)).json()).toEqual(cancelled.json());
    const again = await cancel(id, sender);
    expect([again.status, again.json()]).toEqual([200, cancelled.json()]);
  });

  test("for a JWT: sends of both modes, or only of the mode in the query", async () => {
    const login = await aLogin(api.database.db, api.deps.loginDeps);
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, login.accountId, { type: "test" });
    const { id } = (await send({ key, from: "a@sandbox.test" })).json();
    const token = login.accessToken;
    expect((await cancel(id, { token }, "?mode=live")).status).toBe(404);
    expect((await cancel(id, { token })).status).toBe(200);
  });
});

describe("POST /api/v1/send/:id/cancel returns 409", () => {
  test.each([
    ["leased", "A worker is submitting this send now"],
    ["in-doubt", "does not know yet whether the provider accepted it"],
  ])("with what happens to a send that is %s", async (state, text) => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    await setState(id, state);
    const response = await cancel(id, sender);
    expect([response.status, response.json().error.code]).toEqual([409, "CONFLICT"]);
    expect(response.json().error.message).toContain(text);
  });

  test.each([
    ["sent", "The provider accepted this send at"],
    ["delivered", "The provider accepted this send at"],
    ["failed", "has already failed with PROVIDER_REJECTED"],
    ["suppressed", "Every recipient of this send is suppressed"],
  ])("with what happened to a send that is %s", async (status, text) => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    await change(api.database.db, "delete from send_queue where id = $1", [id]);
    await change(
      api.database.db,
      "update sends set status = $2, sent_at = now(), error_code = 'PROVIDER_REJECTED', error_message = 'No.' where id = $1",
      [id, status],
    );
    const response = await cancel(id, sender);
    expect(response.status).toBe(409);
    expect(response.json().error.message).toContain(text);
  });
});

describe("POST /api/v1/send/:id/cancel returns 404", () => {
  test("for an unknown id, a malformed id, a send of another account, of the other mode and of another domain", async () => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    const other = await aSender();
    const testKey = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    const domain = await aVerifiedDomain(api.database.db, sender.accountId);
    const ofDomain = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { domain });
    const answers = [
      await cancel(randomUUID(), sender),
      await cancel("nonsense", sender),
      await cancel(id, other),
      await cancel(id, testKey),
      await cancel(id, ofDomain),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await statusOf(id, sender)).json().status).toBe("queued");
  });
});

describe("POST /api/v1/send/:id/cancel returns 401 or 403", () => {
  test("without a credential, with a key without the scope send, and for a viewer", async () => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    const reader = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { scopes: ["read"] });
    const viewer = await aLogin(api.database.db, api.deps.loginDeps, { accountId: sender.accountId, role: "viewer" });
    expect((await cancel(id, {})).status).toBe(401);
    expect((await cancel(id, { key: reader.key })).status).toBe(401);
    expect((await cancel(id, { token: viewer.accessToken })).status).toBe(403);
  });
});

describe("POST /api/v1/send/cancel", () => {
  test("cancels the send with the key of the caller, and the send whose key the API generated", async () => {
    const sender = await aSender();
    const { id } = (await send(sender, { idempotency_key: "order-1" })).json();
    const generated = (await send(sender)).json();
    expect((await cancelByKey("order-1", sender)).json()).toMatchObject({ id, error_code: "CANCELLED" });
    expect((await cancelByKey(generated.idempotency_key, sender)).json()).toMatchObject({
      id: generated.id,
      error_code: "CANCELLED",
    });
    expect((await send(sender, { idempotency_key: "order-1" })).json()).toMatchObject({ id, idempotent: true });
  });

  test("is 404 for an unknown key, the key of another account, of the other mode and of another domain", async () => {
    const sender = await aSender();
    await send(sender, { idempotency_key: "order-1" });
    const domain = await aVerifiedDomain(api.database.db, sender.accountId);
    const ofDomain = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { domain });
    const testKey = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    const answers = [
      await cancelByKey("order-2", sender),
      await cancelByKey("order-1", await aSender()),
      await cancelByKey("order-1", testKey),
      await cancelByKey("order-1", ofDomain),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test("is 422 without a key, with an unknown field and with a contradicting mode", async () => {
    const sender = await aSender();
    for (const body of [{}, { idempotency_key: "" }, { idempotency_key: "a", id: "b" }]) {
      const response = await api.call({ method: "POST", path: "/api/v1/send/cancel", body, key: sender.key });
      expect(response.status).toBe(422);
    }
    expect((await cancelByKey("order-1", sender, "?mode=test")).status).toBe(422);
  });
});
