import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { hello, useSendingApi } from "../../../../test/use-sending-api.ts";
import { openContent } from "../../../sends/content.ts";

const { api, aSender, setLimits, send, statusOf, countSends, eventsOf } = useSendingApi();

describe("POST /api/v1/send answers 202", () => {
  test("with the fields of an accepted send, and without suppressed_recipients when nobody was filtered", async () => {
    const sender = await aSender();
    const response = await send(sender, { idempotency_key: "order-1" });
    expect(response.status).toBe(202);
    expect(response.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      status: "queued",
      idempotency_key: "order-1",
      queued_at: expect.any(String),
      idempotent: false,
    });
  });

  test("after the send, its sealed content and its place in the queue are stored", async () => {
    const sender = await aSender();
    const body = {
      from: `Łukasz <orders@${sender.domain}>`,
      to: ["Jane@Example.io"],
      cc: ["cc@exämple.io"],
      bcc: ["bcc@example.io"],
      reply_to: "Help <help@example.io>",
      html: "<p>Grüße</p>",
      text: "Grüße",
    };
    const { id } = (await send(sender, body)).json();
    const [row] = await api.database.db.query<{ sealed: Buffer; recipients: string[]; state: string; domain: string }>({
      name: "stored-send",
      text: `
        select c.sealed, q.recipients, q.state, q.from_domain as domain
        from send_contents c
        join send_queue q using (id)
        where c.id = $1`,
      values: [id],
    });
    expect(row).toMatchObject({
      recipients: ["jane@example.io", "cc@xn--exmple-cua.io", "bcc@example.io"],
      state: "ready",
      domain: sender.domain,
    });
    const owner = { accountId: sender.accountId, sendId: id };
    expect(
      openContent(
        { current: api.deps.acceptDeps.contentKey, second: undefined },
        owner,
        row?.sealed ?? Buffer.alloc(0),
      ),
    ).toEqual({
      from: { name: "Łukasz", address: `orders@${sender.domain}` },
      to: ["Jane@example.io"],
      cc: ["cc@xn--exmple-cua.io"],
      bcc: ["bcc@example.io"],
      replyTo: { name: "Help", address: "help@example.io" },
      subject: "Hello",
      html: "<p>Grüße</p>",
      text: "Grüße",
    });
    expect(row?.sealed.includes("Grüße")).toBe(false);
  });

  test("by JWT as well, for live mail, and for test mail with ?mode=test", async () => {
    const login = await aLogin(api.database.db, api.deps.loginDeps);
    const domain = await aVerifiedDomain(api.database.db, login.accountId, `jwt-${randomBytes(5).toString("hex")}.io`);
    for (const [query, mode] of [
      ["", "live"],
      ["?mode=test", "test"],
    ] as const) {
      const response = await api.call({
        method: "POST",
        path: `/api/v1/send${query}`,
        token: login.accessToken,
        body: { from: `a@${domain}`, ...hello },
      });
      expect(response.status).toBe(202);
      const [row] = await api.database.db.query<{ mode: string }>({
        name: "mode-of-send",
        text: `select mode from sends where id = $1`,
        values: [response.json().id],
      });
      expect(row?.mode).toBe(mode);
    }
  });

  test("with either html or text alone, and with null where a field may be left out", async () => {
    const sender = await aSender();
    const left = { cc: null, bcc: null, reply_to: null, idempotency_key: null };
    expect((await send(sender, { text: undefined, html: "<p>Hi</p>" })).status).toBe(202);
    expect((await send(sender, { html: null, ...left })).status).toBe(202);
  });

  test("with each address once, however often and however written it was given", async () => {
    const sender = await aSender();
    const { id } = (
      await send(sender, { to: ["a@x.io", "A@X.io", "b@x.io"], cc: ["a@x.io", "c@x.io"], bcc: ["C@x.io", "d@x.io"] })
    ).json();
    expect((await statusOf(id, sender)).json().to_addresses).toEqual(["a@x.io", "b@x.io", "c@x.io", "d@x.io"]);
  });

  test("with the largest subject, bodies and number of recipients that are promised", async () => {
    const sender = await aSender();
    const response = await send(sender, {
      subject: "😀".repeat(998),
      html: "é".repeat(1024 * 1024),
      text: "x".repeat(2 * 1024 * 1024),
      to: Array.from({ length: 50 }, (_, number) => `r${number}@example.io`),
    });
    expect(response.status).toBe(202);
  });
});

describe("POST /api/v1/send filters suppressed recipients", () => {
  test("and goes to the others, naming the filtered ones as they were written, with one event each", async () => {
    const sender = await aSender();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@example.io" });
    const response = await send(sender, { to: ["Gone@Example.io", "jane@example.io"] });
    expect(response.json()).toMatchObject({ status: "queued", suppressed_recipients: ["Gone@Example.io"] });
    const { id } = response.json();
    expect(await eventsOf(id)).toEqual([{ type: "Suppression", recipient: "gone@example.io", reason: "hard_bounce" }]);
    expect(await queuedRecipients(id)).toEqual(["jane@example.io"]);
    expect((await statusOf(id, sender)).json().to_addresses).toEqual(["Gone@Example.io", "jane@example.io"]);
  });

  test("and stores the send as suppressed, never to be claimed, when there is nobody else", async () => {
    const sender = await aSender();
    for (const email of ["a@example.io", "b@example.io"]) {
      await aSuppression(api.database.db, { accountId: sender.accountId, email });
    }
    const response = await send(sender, { to: ["a@example.io"], bcc: ["b@example.io"] });
    expect(response.status).toBe(202);
    expect(response.json()).toMatchObject({
      status: "suppressed",
      suppressed_recipients: ["a@example.io", "b@example.io"],
    });
    const { id } = response.json();
    expect(await eventsOf(id)).toHaveLength(2);
    expect(await queuedRecipients(id)).toBeUndefined();
    expect((await statusOf(id, sender)).json().status).toBe("suppressed");
  });

  test("and goes out when all of `to` is filtered but cc or bcc is not", async () => {
    const sender = await aSender();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "a@example.io" });
    const response = await send(sender, { to: ["a@example.io"], cc: ["b@example.io"] });
    expect(response.json()).toMatchObject({ status: "queued", suppressed_recipients: ["a@example.io"] });
    expect(await queuedRecipients(response.json().id)).toEqual(["b@example.io"]);
  });

  test("of its own account and mode only", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    await aSuppression(api.database.db, { accountId: other.accountId, email: "a@example.io" });
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "a@example.io", mode: "test" });
    expect((await send(sender, { to: ["a@example.io"] })).json()).not.toHaveProperty("suppressed_recipients");
  });
});

function queuedRecipients(id: string): Promise<string[] | undefined> {
  return api.database.db
    .query<{ recipients: string[] }>({
      name: "queued-recipients",
      text: `select recipients from send_queue where id = $1`,
      values: [id],
    })
    .then(([row]) => row?.recipients);
}

describe("POST /api/v1/send answers 400", () => {
  test("when the domain of from is not registered in the account", async () => {
    const sender = await aSender();
    const response = await send({ ...sender, from: "a@elsewhere.io" });
    expect(response.status).toBe(400);
    expect(response.json().error.code).toBe("DOMAIN_NOT_VERIFIED");
    expect(await countSends(sender.accountId)).toBe(0);
  });

  test.each(["Pending", "Failed"])("when the domain of from is %s", async (status) => {
    const sender = await aSender();
    await api.database.db.query({
      name: "set-domain-status",
      text: `update domains set verification_status = $2 where account_id = $1`,
      values: [sender.accountId, status],
    });
    expect((await send(sender)).json().error.code).toBe("DOMAIN_NOT_VERIFIED");
  });

  test("when another account verified the domain, and for a subdomain or parent of a verified one", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    for (const from of [other.from, `a@mail.${sender.domain}`, "a@io.io"]) {
      expect((await send({ ...sender, from })).status).toBe(400);
    }
  });

  test("and claims no idempotency key by it", async () => {
    const sender = await aSender();
    expect((await send({ ...sender, from: "a@elsewhere.io" }, { idempotency_key: "k" })).status).toBe(400);
    expect((await send(sender, { idempotency_key: "k" })).json()).toMatchObject({ idempotent: false });
  });
});

describe("POST /api/v1/send answers 401", () => {
  test("without a credential, with an unknown, mistyped, revoked or expired key", async () => {
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

  test("to every key and login of a suspended account, at once", async () => {
    const sender = await aSender();
    expect((await send(sender)).status).toBe(202);
    await api.database.db.query({
      name: "suspend-now",
      text: `update accounts set suspended_at = now() where id = $1`,
      values: [sender.accountId],
    });
    expect((await send(sender)).status).toBe(401);
  });

  test("before anything about the body or the limit", async () => {
    const path = "/api/v1/send";
    for (const rawBody of ["{", "", "[]", JSON.stringify({ subject: 3 })]) {
      expect((await api.call({ method: "POST", path, rawBody })).status).toBe(401);
    }
    const headers = { "content-type": "text/plain" };
    expect((await api.call({ method: "POST", path, rawBody: "hi", headers })).status).toBe(401);
  });

  test("to a revoked key also while its account is over the limit", async () => {
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

test("POST /api/v1/send answers 413 for more than 8 MiB and 415 for what is not JSON", async () => {
  const sender = await aSender();
  const large = { text: "x".repeat(8 * 1024 * 1024) };
  expect((await send(sender, large)).status).toBe(413);
  const headers = { "content-type": "text/plain" };
  const response = await api.call({ method: "POST", path: "/api/v1/send", key: sender.key, rawBody: "hi", headers });
  expect(response.status).toBe(415);
});

test("an accepted send and a repeat leave one log line each, which names it", async () => {
  const sender = await aSender();
  api.logLines.length = 0;
  const answers = [await send(sender, { idempotency_key: "k" }), await send(sender, { idempotency_key: "k" })];
  const told = api.logLines.map((line) => JSON.parse(line)).filter(({ send_id }) => send_id !== undefined);
  expect(told).toMatchObject(
    [false, true].map((repeat, index) => ({
      event: "request.answered",
      request_id: answers[index]?.headers["x-request-id"],
      send_id: answers[0]?.json().id,
      send_status: "queued",
      mode: "live",
      status: 202,
      repeat,
    })),
  );
});

test("no subject, body or address of a send reaches the log", async () => {
  const sender = await aSender();
  const canary = `canary${randomBytes(6).toString("hex")}`;
  await send(sender, { subject: canary, text: canary, html: canary, to: [`${canary}@x.io`], idempotency_key: canary });
  await send(sender, { subject: `${canary}\n`, from: `${canary}@elsewhere.io`, [canary]: 1 });
  expect(api.logLines.filter((line) => line.includes(canary))).toEqual([]);
});
