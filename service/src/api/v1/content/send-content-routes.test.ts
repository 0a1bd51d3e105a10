import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aQueuedSend } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { hello, useSendingApi } from "../../../../test/use-sending-api.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const { api, aSender, send } = useSendingApi();

function contentOf(id: string, credential: { key?: string; token?: string }, query = "") {
  return api.call({ method: "GET", path: `/api/v1/send/${id}/content${query}`, ...credential });
}

describe("GET /api/v1/send/:id/content returns 200", () => {
  test("with everything that was sent, as the caller wrote it, to a key with the scope read", async () => {
    const sender = await aSender({ scopes: ["send", "read"] });
    const mail = {
      from: `Bücher <${sender.from}>`,
      to: ["Jane@Example.io", "joe@example.io"],
      cc: ["cc@bücher.example"],
      bcc: ["bcc@example.io"],
      reply_to: "Help <help@example.io>",
      subject: "Your order ✓",
      html: "<p>Hi <script>alert(1)</script></p>",
      text: "Hi",
    };
    const { id } = (await send(sender, mail)).json();
    const answer = await contentOf(id, sender);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ id, mode: "live", ...mail });
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  test("with null for what the mail does not have", async () => {
    const sender = await aSender({ scopes: ["send", "read"] });
    const { id } = (await send(sender)).json();
    expect((await contentOf(id, sender)).json()).toMatchObject({
      ...hello,
      cc: [],
      bcc: [],
      reply_to: null,
      html: null,
    });
  });

  test("for a content that outlived its week", async () => {
    const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
    const id = await aQueuedSend(api.database.db, { accountId });
    await change(
      api.database.db,
      "insert into kept_contents (id, sealed) select id, sealed from send_contents where id = $1",
      [id],
    );
    await change(api.database.db, "delete from send_contents where id = $1", [id]);
    expect((await contentOf(id, { token })).json()).toMatchObject({ text: "It is on its way." });
  });

  test.for(["developer", "owner"] as const)("to a %s, for sends of both modes", async (role) => {
    const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps, { role });
    for (const mode of ["live", "test"] as const) {
      const id = await aQueuedSend(api.database.db, { accountId, mode });
      expect((await contentOf(id, { token })).json()).toMatchObject({ id, mode });
    }
  });

  test("and leaves an entry without any of the content, which names the key", async () => {
    const sender = await aSender({ scopes: ["send", "read"] });
    const { id } = (await send(sender, { subject: "secret subject" })).json();
    await contentOf(id, sender);
    await contentOf(id, sender);
    const rows = await auditRows(api.database.db, sender.accountId, "content.read");
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ actor_kind: "key", target_kind: "send", target_id: id, before: null, after: null });
    expect(JSON.stringify(rows)).not.toContain("secret subject");
  });
});

describe("GET /api/v1/send/:id/content returns 401", () => {
  test("without a credential", async () => {
    expect((await contentOf(randomUUID(), {})).status).toBe(401);
  });

  test("to a key without the scope read, which the message names", async () => {
    const sender = await aSender({ scopes: ["send", "suppressions", "domains"] });
    const { id } = (await send(sender)).json();
    const answer = await contentOf(id, sender);
    expect(answer.status).toBe(401);
    expect(answer.json().error.message).toContain("scope `read`");
    expect(await auditRows(api.database.db, sender.accountId, "content.read")).toEqual([]);
  });

  test("when the account is suspended", async () => {
    const sender = await aSender({ scopes: ["send", "read"] });
    const { id } = (await send(sender)).json();
    await change(api.database.db, "update accounts set suspended_at = now() where id = $1", [sender.accountId]);
    expect((await contentOf(id, sender)).status).toBe(401);
  });
});

test("GET /api/v1/send/:id/content returns 403 to a viewer", async () => {
  const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps, { role: "viewer" });
  const id = await aQueuedSend(api.database.db, { accountId });
  const answer = await contentOf(id, { token });
  expect([answer.status, answer.json().error.code]).toEqual([403, "FORBIDDEN"]);
  expect(await auditRows(api.database.db, accountId, "content.read")).toEqual([]);
});

test("GET /api/v1/send/:id/content returns 404 for a malformed or unknown id and for a send of another account or mode", async () => {
  const sender = await aSender({ scopes: ["send", "read"] });
  const other = await aSender({ scopes: ["send", "read"] });
  const theirs = (await send(other)).json().id;
  const testSend = await aQueuedSend(api.database.db, { accountId: sender.accountId, mode: "test" });
  for (const id of [randomUUID(), "not-an-id", theirs, testSend]) {
    expect((await contentOf(id, sender)).status).toBe(404);
  }
  for (const { accountId } of [sender, other]) {
    expect(await auditRows(api.database.db, accountId, "content.read")).toEqual([]);
  }
});

describe("GET /api/v1/send/:id/content returns 410 without an entry", () => {
  test("once the content is deleted", async () => {
    const { accountId, accessToken: token } = await aLogin(api.database.db, api.deps.loginDeps);
    const id = await aQueuedSend(api.database.db, { accountId, hasContent: false });
    const answer = await contentOf(id, { token });
    expect([answer.status, answer.json().error.code]).toEqual([410, "CONTENT_NOT_KEPT"]);
    expect(await auditRows(api.database.db, accountId, "content.read")).toEqual([]);
  });

  test("for a send whose recipients were all suppressed", async () => {
    const sender = await aSender({ scopes: ["send", "read"] });
    await change(
      api.database.db,
      "insert into suppressions (id, account_id, mode, email, reason) values (gen_random_uuid(), $1, 'live', 'jane@example.io', 'complaint')",
      [sender.accountId],
    );
    expect((await contentOf((await send(sender)).json().id, sender)).status).toBe(410);
  });
});

test("GET /api/v1/send/:id/content returns 422 for a mode that contradicts the key", async () => {
  const sender = await aSender({ scopes: ["send", "read"] });
  expect((await contentOf((await send(sender)).json().id, sender, "?mode=test")).status).toBe(422);
});

test("HEAD returns 405 and leaves no entry", async () => {
  const sender = await aSender({ scopes: ["send", "read"] });
  const { id } = (await send(sender)).json();
  const answer = await api.call({ method: "HEAD", path: `/api/v1/send/${id}/content`, key: sender.key });
  expect(answer.status).toBe(405);
  expect(await auditRows(api.database.db, sender.accountId, "content.read")).toEqual([]);
});

describe("with CONTENT_VIEW=off", () => {
  const closed = useTestApi({ CONTENT_VIEW: "off" });

  test("both routes return 403 that names the setting, to owners and keys, and read nothing", async () => {
    const { accountId, accessToken: token } = await aLogin(closed.database.db, closed.deps.loginDeps);
    const { key } = await anApiKey(closed.database.db, closed.deps.apiKeyIssuer, accountId, { scopes: ["read"] });
    const id = await aQueuedSend(closed.database.db, { accountId });
    const path = `/api/v1/send/${id}/content`;
    const answers = [
      await closed.call({ method: "GET", path, token }),
      await closed.call({ method: "GET", path, key }),
      await closed.call({ method: "POST", path: `${path}/view`, token, body: {} }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.json().error.code]).toEqual([403, "FORBIDDEN"]);
      expect(answer.json().error.message).toContain("CONTENT_VIEW=off");
    }
    expect(await auditRows(closed.database.db, accountId, "content.read")).toEqual([]);
    expect(await change(closed.database.db, "select from content_views")).toEqual([]);
  });
});
