import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aVerifiedDomain } from "../../../../test/send-builders.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send, statusOf } = useSendingApi();

describe("GET /api/v1/send/:id/status returns 200", () => {
  test("with all fields of the accepted send", async () => {
    const sender = await aSender();
    const from = `Shop <orders@${sender.domain}>`;
    const accepted = (await send(sender, { from, to: ["Jane@X.io"], cc: ["c@x.io"], bcc: ["b@x.io"] })).json();
    const response = await statusOf(accepted.id, sender);
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({
      id: accepted.id,
      status: "queued",
      from_address: from,
      to_addresses: ["Jane@X.io", "c@x.io", "b@x.io"],
      subject: "Hello",
      queued_at: accepted.queued_at,
      sent_at: null,
      provider_message_id: null,
      error_code: null,
      error_message: null,
      mode: "live",
    });
  });

  test.each([
    ["ready", "queued"],
    ["waiting", "queued"],
    ["leased", "processing"],
    ["in-doubt", "processing"],
  ])("for a send with queue state %s as status %s", async (state, status) => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    await api.database.db.query({
      name: "set-queue-state",
      text: `update send_queue set state = $2, due_at = now() where id = $1`,
      values: [id, state],
    });
    expect((await statusOf(id, sender)).json().status).toBe(status);
  });

  test("for a JWT: sends of both modes, or only of the mode in the query", async () => {
    const login = await aLogin(api.database.db, api.deps.loginDeps);
    const domain = await aVerifiedDomain(api.database.db, login.accountId, `jwt-${randomBytes(5).toString("hex")}.io`);
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, login.accountId, { type: "test" });
    const { id } = (await send({ key, from: `a@${domain}` })).json();
    const token = login.accessToken;
    expect((await statusOf(id, { token })).json()).toMatchObject({ id, mode: "test" });
    expect((await statusOf(id, { token }, "?mode=test")).status).toBe(200);
    expect((await statusOf(id, { token }, "?mode=live")).status).toBe(404);
  });
});

describe("GET /api/v1/send/:id/status returns 404", () => {
  test("with the same body for an unknown id, a malformed id, a send of another account and a send of the other mode", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    const { id } = (await send(sender)).json();
    const responses = [
      await statusOf(randomUUID(), sender),
      await statusOf("not-an-id", sender),
      await statusOf(id, other),
      await statusOf(id, { key }),
    ];
    expect(responses.map((response) => response.status)).toEqual([404, 404, 404, 404]);
    const texts = responses.map(({ text, headers }) => text.replaceAll(String(headers["x-request-id"]), ""));
    expect(new Set(texts).size).toBe(1);
  });
});

test("GET /api/v1/send/:id/status returns 401 without a credential and with an invalid key", async () => {
  expect((await statusOf(randomUUID(), {})).status).toBe(401);
  expect((await statusOf(randomUUID(), { key: "postern_live_x" })).status).toBe(401);
});
