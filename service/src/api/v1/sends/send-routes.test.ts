import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { aVerifiedDomain } from "../../../../test/send-builders.ts";
import { hello, useSendingApi } from "../../../../test/use-sending-api.ts";
import { openContent } from "../../../sends/content.ts";

const { api, aSender, send, statusOf, countSends } = useSendingApi();

describe("POST /api/v1/send returns 202", () => {
  test("with the fields of an accepted send, and without suppressed_recipients when no recipient is suppressed", async () => {
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

  test("after it has stored the send, its sealed content and its queue entry", async () => {
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

  test("for a JWT, in live mode by default and in test mode with ?mode=test", async () => {
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

  test("for html or text alone, and for null in every optional field", async () => {
    const sender = await aSender();
    const absent = { cc: null, bcc: null, reply_to: null, idempotency_key: null };
    expect((await send(sender, { text: undefined, html: "<p>Hi</p>" })).status).toBe(202);
    expect((await send(sender, { html: null, ...absent })).status).toBe(202);
  });

  test("with each address once, even when the request repeats it in other spellings", async () => {
    const sender = await aSender();
    const { id } = (
      await send(sender, { to: ["a@x.io", "A@X.io", "b@x.io"], cc: ["a@x.io", "c@x.io"], bcc: ["C@x.io", "d@x.io"] })
    ).json();
    expect((await statusOf(id, sender)).json().to_addresses).toEqual(["a@x.io", "b@x.io", "c@x.io", "d@x.io"]);
  });

  test("for the largest documented subject, bodies and number of recipients", async () => {
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

describe("POST /api/v1/send returns 400", () => {
  test("when the domain of from is not registered in the account", async () => {
    const sender = await aSender();
    const response = await send({ ...sender, from: "a@elsewhere.io" });
    expect(response.status).toBe(400);
    expect(response.json().error.code).toBe("DOMAIN_NOT_VERIFIED");
    expect(response.json().error.message).toContain("The domain elsewhere.io is not verified");
    expect(await countSends(sender.accountId)).toBe(0);
  });

  test("for live mail from sandbox.test, and says that it needs a test key", async () => {
    const { error } = (await send({ ...(await aSender()), from: "a@sandbox.test" })).json();
    expect(error).toMatchObject({
      code: "DOMAIN_NOT_VERIFIED",
      message: expect.stringContaining("Use a test API key"),
    });
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

  test("when only another account verified the domain, and for a subdomain or parent of a verified domain", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    for (const from of [other.from, `a@mail.${sender.domain}`, "a@io.io"]) {
      expect((await send({ ...sender, from })).status).toBe(400);
    }
  });

  test("and does not use up the idempotency key", async () => {
    const sender = await aSender();
    expect((await send({ ...sender, from: "a@elsewhere.io" }, { idempotency_key: "k" })).status).toBe(400);
    expect((await send(sender, { idempotency_key: "k" })).json()).toMatchObject({ idempotent: false });
  });
});

test("POST /api/v1/send returns 413 for a body over 8 MiB and 415 for a body that is not JSON", async () => {
  const sender = await aSender();
  const large = { text: "x".repeat(8 * 1024 * 1024) };
  expect((await send(sender, large)).status).toBe(413);
  const headers = { "content-type": "text/plain" };
  const response = await api.call({ method: "POST", path: "/api/v1/send", key: sender.key, rawBody: "hi", headers });
  expect(response.status).toBe(415);
});

test("an accepted send and its repeat each write one log line with the send id", async () => {
  const sender = await aSender();
  api.logLines.length = 0;
  const responses = [await send(sender, { idempotency_key: "k" }), await send(sender, { idempotency_key: "k" })];
  const logged = api.logLines.map((line) => JSON.parse(line)).filter(({ send_id }) => send_id !== undefined);
  expect(logged).toMatchObject(
    [false, true].map((repeat, index) => ({
      event: "request.completed",
      request_id: responses[index]?.headers["x-request-id"],
      send_id: responses[0]?.json().id,
      send_status: "queued",
      account_id: expect.stringMatching(/^[\da-f-]{36}$/),
      mode: "live",
      status: 202,
      repeat,
    })),
  );
});

test("no log line contains a subject, body or address of a send", async () => {
  const sender = await aSender();
  const canary = `canary${randomBytes(6).toString("hex")}`;
  await send(sender, { subject: canary, text: canary, html: canary, to: [`${canary}@x.io`], idempotency_key: canary });
  await send(sender, { subject: `${canary}\n`, from: `${canary}@elsewhere.io`, [canary]: 1 });
  expect(api.logLines.filter((line) => line.includes(canary))).toEqual([]);
});
