import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { aLogin, anAccount, anApiKey } from "../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../test/send-builders.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { openContent } from "../../sends/content.ts";
import type { Mode } from "../../sends/send-request.ts";

const api = useTestApi();
const hello = { to: ["jane@example.io"], subject: "Hello", text: "Hi Jane" };

interface TestSender {
  accountId: string;
  key: string;
  domain: string;
  from: string;
}

async function aSender({
  type = "live",
  isUnlimited = true,
}: {
  type?: Mode;
  isUnlimited?: boolean;
} = {}): Promise<TestSender> {
  const accountId = await anAccount(api.database.db);
  const domain = await aVerifiedDomain(api.database.db, accountId, `shop-${randomBytes(5).toString("hex")}.io`);
  const { key } = await anApiKey(api.database.db, api.parts.keyPress, accountId, { type });
  if (isUnlimited) await setLimits(accountId, 1000, 10_000, 60_000);
  return { accountId, key, domain, from: `orders@${domain}` };
}

async function setLimits(accountId: string, second: number, tenSeconds: number, minute: number): Promise<void> {
  await api.database.db.query({
    name: "set-test-limits",
    text: `
      update accounts
      set limit_per_second = $2, limit_per_10_seconds = $3, limit_per_minute = $4
      where id = $1`,
    values: [accountId, second, tenSeconds, minute],
  });
}

function send(sender: { key: string; from: string }, body: Record<string, unknown> = {}, headers = {}) {
  return api.call({
    method: "POST",
    path: "/api/v1/send",
    key: sender.key,
    headers,
    body: { from: sender.from, ...hello, ...body },
  });
}

function statusOf(id: string, credential: { key?: string; token?: string }, query = "") {
  return api.call({ method: "GET", path: `/api/v1/send/${id}/status${query}`, ...credential });
}

function countSends(accountId: string): Promise<number> {
  return api.database.db
    .query<{ count: number }>({
      name: "count-sends",
      text: `select count(*) as count from sends where account_id = $1`,
      values: [accountId],
    })
    .then(([row]) => row?.count ?? -1);
}

function eventsOf(sendId: string) {
  return api.database.db.query<{ type: string; recipient: string; reason: string }>({
    name: "events-of-send",
    text: `
      select event_type as type, recipient, suppression_reason as reason
      from events
      where send_id = $1
      order by recipient`,
    values: [sendId],
  });
}

function fieldsOf(response: { json(): { error: { details: { field: string; code: string }[] } } }) {
  return response.json().error.details.map(({ field, code }) => `${field} ${code}`);
}

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
        { current: api.parts.acceptDesk.contentKey, second: undefined },
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
    const login = await aLogin(api.database.db, api.parts.loginDesk);
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
    const other = await anApiKey(api.database.db, api.parts.keyPress, sender.accountId);
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
    const expiring = await anApiKey(api.database.db, api.parts.keyPress, sender.accountId, { expiresAt: soon });
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

describe("POST /api/v1/send answers 409", () => {
  test("when the key was used for another payload, naming the fields and the original", async () => {
    const sender = await aSender();
    const { id } = (await send(sender, { idempotency_key: "k", cc: ["c@x.io"] })).json();
    const response = await send(sender, { idempotency_key: "k", subject: "Other", to: ["other@x.io"] });
    expect(response.status).toBe(409);
    expect(response.json().error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining(id) });
    expect(fieldsOf(response)).toEqual(["to differs", "subject differs", "cc differs"]);
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test.each([
    { subject: "Hello " },
    { subject: "hello" },
    { to: ["Jane@example.io"] },
    { to: ["jane@example.io", "b@x.io"] },
    { text: "Hi Jane\n" },
    { html: "" },
    { html: "Hi Jane", text: undefined },
    { reply_to: "jane@example.io" },
    { bcc: ["b@x.io"] },
  ])("when only this differs: %j", async (change) => {
    const sender = await aSender();
    await send(sender, { idempotency_key: "k" });
    expect((await send(sender, { idempotency_key: "k", ...change })).status).toBe(409);
  });
});

describe("POST /api/v1/send with an idempotency key", () => {
  test("repeats the original answer with idempotent true and creates nothing", async () => {
    const sender = await aSender();
    const first = (await send(sender, { idempotency_key: "k" })).json();
    const second = await send(sender, { idempotency_key: "k" });
    expect(second.status).toBe(202);
    expect(second.json()).toEqual({ ...first, idempotent: true });
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test("takes an absent, a null and an empty list for the same payload, and the order of fields for nothing", async () => {
    const sender = await aSender();
    const first = (await send(sender, { idempotency_key: "k" })).json();
    const again = await send(sender, { idempotency_key: "k", cc: [], bcc: null, html: null });
    expect(again.json()).toEqual({ ...first, idempotent: true });
    const rawBody = JSON.stringify({
      text: hello.text,
      idempotency_key: "k",
      subject: hello.subject,
      to: hello.to,
      from: sender.from,
    });
    const reordered = await api.call({
      method: "POST",
      path: "/api/v1/send",
      key: sender.key,
      rawBody,
      headers: { "content-type": "application/json" },
    });
    expect(reordered.json()).toEqual({ ...first, idempotent: true });
  });

  test("repeats the first answer although domain, suppressions and status have changed since", async () => {
    const sender = await aSender();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@x.io" });
    const body = { idempotency_key: "k", to: ["jane@x.io", "gone@x.io"] };
    const first = (await send(sender, body)).json();
    await api.database.db.query({
      name: "unverify",
      text: `update domains set verification_status = 'Failed' where account_id = $1`,
      values: [sender.accountId],
    });
    await api.database.db.query({
      name: "unsuppress",
      text: `delete from suppressions where account_id = $1`,
      values: [sender.accountId],
    });
    await api.database.db.query({
      name: "settle-now",
      text: `update sends set status = 'sent', sent_at = now(), provider_message_id = 'm' where account_id = $1`,
      values: [sender.accountId],
    });
    expect((await send(sender, body)).json()).toEqual({ ...first, idempotent: true });
    expect((await send(sender, { ...body, subject: "x" })).status).toBe(409);
  });

  test("takes the key from the header Idempotency-Key as well", async () => {
    const sender = await aSender();
    const first = (await send(sender, {}, { "idempotency-key": "k" })).json();
    expect(first.idempotency_key).toBe("k");
    expect((await send(sender, { idempotency_key: "k" })).json()).toEqual({ ...first, idempotent: true });
    const both = await send(sender, { idempotency_key: "k" }, { "idempotency-key": "k" });
    expect(both.json()).toEqual({ ...first, idempotent: true });
    const contradiction = await send(sender, { idempotency_key: "k" }, { "idempotency-key": "other" });
    expect(fieldsOf(contradiction)).toEqual(["Idempotency-Key contradiction"]);
  });

  test("keeps accounts and modes apart, and shares between the credentials of one account", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    const sandboxed = await anApiKey(api.database.db, api.parts.keyPress, sender.accountId, { type: "test" });
    const second = await anApiKey(api.database.db, api.parts.keyPress, sender.accountId);
    const first = (await send(sender, { idempotency_key: "k" })).json();
    expect((await send(other, { idempotency_key: "k" })).json()).toMatchObject({ idempotent: false });
    expect((await send({ ...sender, key: sandboxed.key }, { idempotency_key: "k" })).json()).toMatchObject({
      idempotent: false,
    });
    expect((await send({ ...sender, key: second.key }, { idempotency_key: "k" })).json()).toEqual({
      ...first,
      idempotent: true,
    });
  });

  test("creates one send of 40 racing twins", async () => {
    const sender = await aSender();
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(sender, { idempotency_key: "race" })));
    const bodies = answers.map((answer) => answer.json());
    expect(bodies.filter((body) => !body.idempotent)).toHaveLength(1);
    expect(new Set(bodies.map((body) => `${body.id} ${body.queued_at}`)).size).toBe(1);
    expect(await countSends(sender.accountId)).toBe(1);
  });

  test("has no deduplication without one: a UUID is generated and is the send's own id", async () => {
    const sender = await aSender();
    const [one, two] = [(await send(sender)).json(), (await send(sender)).json()];
    expect(one.idempotency_key).toBe(one.id);
    expect(two.id).not.toBe(one.id);
    expect(two.idempotent).toBe(false);
  });
});

describe("POST /api/v1/send answers 422", () => {
  let sender: TestSender;
  beforeAll(async () => {
    sender = await aSender();
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ["from missing", { from: undefined }, ["from required"]],
    ["to missing", { to: undefined }, ["to required"]],
    ["to empty", { to: [] }, ["to too_small"]],
    ["to a string", { to: "jane@x.io" }, ["to wrong_type"]],
    ["subject missing", { subject: undefined }, ["subject required"]],
    ["subject empty", { subject: "" }, ["subject empty"]],
    ["neither html nor text", { text: undefined }, ["html required"]],
    ["html and text empty", { text: "", html: "" }, ["html required"]],
    ["malformed recipients, each named", { to: ["jane", "ok@x.io", "a@b@c.io"] }, ["to[0] invalid", "to[2] invalid"]],
    ["a malformed from", { from: "Jane" }, ["from invalid"]],
    ["a malformed cc", { cc: ["@x.io"] }, ["cc[0] invalid"]],
    ["a malformed bcc", { bcc: ["x@"] }, ["bcc[0] invalid"]],
    ["a malformed reply_to", { reply_to: "x y" }, ["reply_to invalid"]],
    ["a name around a recipient", { to: ["Jane <jane@x.io>"] }, ["to[0] invalid"]],
    ["a line break in the subject", { subject: "Hi\r\nBcc: x@y.io" }, ["subject invalid"]],
    ["a line break in a name", { from: "Jane\n <a@x.io>" }, ["from invalid"]],
    ["a subject of 999 characters", { subject: "x".repeat(999) }, ["subject invalid"]],
    ["html over 2 MiB", { html: "é".repeat(1024 * 1024 + 1) }, ["html invalid"]],
    [
      "51 recipients",
      {
        to: Array.from({ length: 26 }, (_, i) => `a${i}@x.io`),
        cc: Array.from({ length: 25 }, (_, i) => `b${i}@x.io`),
      },
      ["to too_large"],
    ],
    ["an unknown field", { subjet: "Hi" }, ["subjet unknown_field"]],
    ["an empty idempotency key", { idempotency_key: "" }, ["idempotency_key wrong_format"]],
    ["an idempotency key of 256 characters", { idempotency_key: "k".repeat(256) }, ["idempotency_key wrong_format"]],
    ["a key that is not printable", { idempotency_key: "k\u00e9" }, ["idempotency_key wrong_format"]],
    [
      "several problems, all at once",
      { from: "x", subject: "", text: 3, extra: 1 },
      ["from invalid", "subject empty", "text wrong_type", "extra unknown_field"],
    ],
  ])("for %s", async (_what, change, fields) => {
    const response = await send(sender, change);
    expect(response.status).toBe(422);
    expect(response.json().error.code).toBe("VALIDATION_ERROR");
    expect(fieldsOf(response)).toEqual(fields);
  });

  test("naming the nearest known field for an unknown one", async () => {
    expect((await send(sender, { subjet: "Hi" })).json().error.message).toContain("did you mean subject?");
  });

  test.each(["", "{", "null", "[]", '"text"', "\u0000"])("for the body %j", async (rawBody) => {
    const headers = { "content-type": "application/json" };
    const response = await api.call({ method: "POST", path: "/api/v1/send", key: sender.key, rawBody, headers });
    expect(response.status).toBe(422);
  });

  test("before a repeat, a conflict or a domain that is not verified", async () => {
    await send(sender, { idempotency_key: "first" });
    expect((await send(sender, { idempotency_key: "first", extra: 1 })).status).toBe(422);
    expect((await send({ ...sender, from: "a@elsewhere.io" }, { extra: 1 })).status).toBe(422);
  });
});

test("POST /api/v1/send answers 409 before 400: the key is judged before the domain", async () => {
  const sender = await aSender();
  await send(sender, { idempotency_key: "k" });
  expect((await send({ ...sender, from: "a@elsewhere.io" }, { idempotency_key: "k" })).status).toBe(409);
});

test("POST /api/v1/send answers 413 for more than 8 MiB and 415 for what is not JSON", async () => {
  const sender = await aSender();
  const large = { text: "x".repeat(8 * 1024 * 1024) };
  expect((await send(sender, large)).status).toBe(413);
  const headers = { "content-type": "text/plain" };
  const response = await api.call({ method: "POST", path: "/api/v1/send", key: sender.key, rawBody: "hi", headers });
  expect(response.status).toBe(415);
});

describe("POST /api/v1/send answers 429", () => {
  test("from the 4th request in a second, with Retry-After and what is left of each window", async () => {
    const sender = await aSender({ isUnlimited: false });
    const answers = [];
    for (let sent = 0; sent < 4; sent++) answers.push(await send(sender));
    expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202, 429]);
    expect(answers[0]?.headers["ratelimit-policy"]).toBe(
      '"second";q=3;w=1, "10-seconds";q=20;w=10, "minute";q=100;w=60',
    );
    expect(answers[0]?.headers.ratelimit).toBe('"second";r=2, "10-seconds";r=19, "minute";r=99');
    expect(answers[3]?.headers.ratelimit).toBe('"second";r=0, "10-seconds";r=17, "minute";r=97');
    expect(answers[3]?.headers["retry-after"]).toBe("1");
    expect(answers[3]?.json().error).toMatchObject({
      code: "RATE_LIMIT_EXCEEDED",
      message: expect.stringContaining("3 a second"),
    });
    expect(await countSends(sender.accountId)).toBe(3);
  });

  test.each([
    [10, [100, 20, 100]],
    [60, [100, 100, 100]],
  ])("when the window of %s seconds is full, until its oldest entry leaves it", async (seconds, limits) => {
    const sender = await aSender({ isUnlimited: false });
    const limit = Math.min(...limits);
    await setLimits(sender.accountId, ...(limits as [number, number, number]));
    const answers = await Promise.all(Array.from({ length: limit + 1 }, () => send(sender)));
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(limit);
    const refused = answers.find((answer) => answer.status === 429);
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThanOrEqual(limit === 100 ? 1 : seconds - 2);
  });

  test("before 422, and without counting what it refuses", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 2, 2, 2);
    expect((await send(sender, { extra: 1 })).status).toBe(422);
    expect((await send(sender, { subject: "" })).status).toBe(422);
    expect((await send(sender, { extra: 1 })).status).toBe(429);
    const [row] = await api.database.db.query<{ counted: number }>({
      name: "counted-requests",
      text: `select totals[cardinality(totals)] as counted from rate_windows where account_id = $1`,
      values: [sender.accountId],
    });
    expect(row?.counted).toBe(2);
  });

  test("over all keys and logins of an account, and apart for its live and test mail", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 1, 1, 1);
    const second = await anApiKey(api.database.db, api.parts.keyPress, sender.accountId);
    const sandboxed = await anApiKey(api.database.db, api.parts.keyPress, sender.accountId, { type: "test" });
    expect((await send(sender)).status).toBe(202);
    expect((await send({ ...sender, key: second.key })).status).toBe(429);
    expect((await send({ ...sender, key: sandboxed.key })).status).toBe(202);
  });

  test("counting repeats", async () => {
    const sender = await aSender({ isUnlimited: false });
    await setLimits(sender.accountId, 2, 2, 2);
    await send(sender, { idempotency_key: "k" });
    expect((await send(sender, { idempotency_key: "k" })).json().idempotent).toBe(true);
    expect((await send(sender, { idempotency_key: "k" })).status).toBe(429);
  });
});

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
    const login = await aLogin(api.database.db, api.parts.loginDesk);
    const domain = await aVerifiedDomain(api.database.db, login.accountId, `jwt-${randomBytes(5).toString("hex")}.io`);
    const { key } = await anApiKey(api.database.db, api.parts.keyPress, login.accountId, { type: "test" });
    const { id } = (await send({ key, from: `a@${domain}` })).json();
    expect((await statusOf(id, { token: login.accessToken })).status).toBe(404);
    expect((await statusOf(id, { token: login.accessToken }, "?mode=test")).status).toBe(200);
  });
});

describe("GET /api/v1/send/:id/status answers 404", () => {
  test("for an id that is unknown or malformed, a send of another account, or one of the other mode", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    const { key } = await anApiKey(api.database.db, api.parts.keyPress, sender.accountId, { type: "test" });
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

test("no subject, body or address of a send reaches the log", async () => {
  const sender = await aSender();
  const canary = `canary${randomBytes(6).toString("hex")}`;
  await send(sender, { subject: canary, text: canary, html: canary, to: [`${canary}@x.io`], idempotency_key: canary });
  await send(sender, { subject: `${canary}\n`, from: `${canary}@elsewhere.io`, [canary]: 1 });
  expect(api.logLines.filter((line) => line.includes(canary))).toEqual([]);
});
