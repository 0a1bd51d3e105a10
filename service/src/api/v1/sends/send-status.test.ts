import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aVerifiedDomain } from "../../../../test/send-builders.ts";
import { useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, send, statusOf } = useSendingApi();

describe("GET /api/v1/send/:id/status answers 200", () => {
  test("with the record of the send as it was accepted", async () => {
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
    });
  });

  test.each([
    ["ready", "queued"],
    ["waiting", "queued"],
    ["leased", "processing"],
    ["in-doubt", "processing"],
  ])("with a send that is %s shown as %s", async (state, status) => {
    const sender = await aSender();
    const { id } = (await send(sender)).json();
    await api.database.db.query({
      name: "set-queue-state",
      text: `update send_queue set state = $2, due_at = now() where id = $1`,
      values: [id, state],
    });
    expect((await statusOf(id, sender)).json().status).toBe(status);
  });

  test("to a JWT of the account: live sends, and test sends with ?mode=test", async () => {
    const login = await aLogin(api.database.db, api.deps.loginDeps);
    const domain = await aVerifiedDomain(api.database.db, login.accountId, `jwt-${randomBytes(5).toString("hex")}.io`);
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, login.accountId, { type: "test" });
    const { id } = (await send({ key, from: `a@${domain}` })).json();
    expect((await statusOf(id, { token: login.accessToken })).status).toBe(404);
    expect((await statusOf(id, { token: login.accessToken }, "?mode=test")).status).toBe(200);
  });
});

describe("GET /api/v1/send/:id/status answers 404", () => {
  test("for an id that is unknown or malformed, a send of another account, or one of the other mode", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    const { id } = (await send(sender)).json();
    const answers = [
      await statusOf(randomUUID(), sender),
      await statusOf("not-an-id", sender),
      await statusOf(id, other),
      await statusOf(id, { key }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404]);
    const texts = answers.map(({ text, headers }) => text.replaceAll(String(headers["x-request-id"]), ""));
    expect(new Set(texts).size).toBe(1);
  });
});

test("GET /api/v1/send/:id/status answers 401 without a credential and with a revoked one", async () => {
  expect((await statusOf(randomUUID(), {})).status).toBe(401);
  expect((await statusOf(randomUUID(), { key: "postern_live_x" })).status).toBe(401);
});
