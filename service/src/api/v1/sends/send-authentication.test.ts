import { describe, expect, test } from "vitest";
import { anApiKey } from "../../../../test/builders.ts";
import { hello, useSendingApi } from "../../../../test/use-sending-api.ts";

const { api, aSender, setLimits, send } = useSendingApi();

describe("POST /api/v1/send returns 401", () => {
  test("without a credential, and for an unknown, mistyped, revoked or expired key", async () => {
    const sender = await aSender();
    const other = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId);
    expect((await send({ ...sender, key: other.key })).status).toBe(202);
    await api.database.db.query({
      name: "revoke-now",
      text: `update api_keys set revoked_at = now() where id = $1`,
      values: [other.id],
    });
    const missing = await api.call({ method: "POST", path: "/api/v1/send", body: { from: sender.from, ...hello } });
    expect(missing.status).toBe(401);
    const revoked = await send({ ...sender, key: other.key });
    expect(revoked.json().error).toMatchObject({ code: "UNAUTHORIZED", message: expect.stringContaining("revoked") });
    expect((await send({ ...sender, key: `${sender.key}x` })).status).toBe(401);
    const soon = new Date(Date.now() + 60_000).toISOString();
    const expiring = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { expiresAt: soon });
    expect((await send({ ...sender, key: expiring.key })).status).toBe(202);
    await api.database.db.query({
      name: "expire-now",
      text: `update api_keys set expires_at = now() where id = $1`,
      values: [expiring.id],
    });
    expect((await send({ ...sender, key: expiring.key })).json().error.message).toContain("expired");
  });

  test("immediately for every key of a suspended account", async () => {
    const sender = await aSender();
    expect((await send(sender)).status).toBe(202);
    await api.database.db.query({
      name: "suspend-now",
      text: `update accounts set suspended_at = now() where id = $1`,
      values: [sender.accountId],
    });
    expect((await send(sender)).status).toBe(401);
  });

  test("before it reports any problem of the body", async () => {
    const path = "/api/v1/send";
    for (const rawBody of ["{", "", "[]", JSON.stringify({ subject: 3 })]) {
      expect((await api.call({ method: "POST", path, rawBody })).status).toBe(401);
    }
    const headers = { "content-type": "text/plain" };
    expect((await api.call({ method: "POST", path, rawBody: "hi", headers })).status).toBe(401);
  });

  test("for a revoked key even while its account is over the rate limit", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 1, 1, 1);
    expect((await send(sender)).status).toBe(202);
    expect((await send(sender)).status).toBe(429);
    await api.database.db.query({
      name: "revoke-all",
      text: `update api_keys set revoked_at = now() where account_id = $1`,
      values: [sender.accountId],
    });
    expect((await send(sender)).status).toBe(401);
  });
});
