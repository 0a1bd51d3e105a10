import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anAccount, anApiKey } from "../../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();
const hello = { to: ["jane@example.io"], subject: "Hello", text: "Hi Jane" };

async function aSender(limits = [1000, 10_000, 60_000]) {
  const accountId = await anAccount(api.database.db);
  const domain = await aVerifiedDomain(api.database.db, accountId, `shop-${randomBytes(5).toString("hex")}.io`);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId);
  await change(
    api.database.db,
    "update accounts set limit_per_second = $2, limit_per_10_seconds = $3, limit_per_minute = $4 where id = $1",
    [accountId, ...limits],
  );
  return { accountId, key, domain, from: `orders@${domain}` };
}

type Sender = Awaited<ReturnType<typeof aSender>>;

function post(path: string, sender: Sender, body: Record<string, unknown> = {}, headers = {}) {
  return api.call({ method: "POST", path, key: sender.key, headers, body: { from: sender.from, ...hello, ...body } });
}

const validate = (...request: [Sender, Record<string, unknown>?, object?]) => post("/api/v1/send/validate", ...request);
const send = (...request: [Sender, Record<string, unknown>?, object?]) => post("/api/v1/send", ...request);

describe("POST /api/v1/send/validate returns 200", () => {
  test("with all details of a send that would be accepted", async () => {
    const sender = await aSender([3, 20, 100]);
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "gone@x.io" });
    const body = { to: ["Jane@X.io", "Gone@X.io"], cc: ["jane@x.io"], subject: "Grüße 😀", html: "ä", text: "abc" };
    const response = await validate(sender, { ...body, idempotency_key: "k" });
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({
      valid: true,
      would_answer: { status: 202, code: null },
      problems: [],
      domain: { name: sender.domain, verified: true },
      recipients: [
        { email: "Jane@X.io", suppressed: false },
        { email: "Gone@X.io", suppressed: true, reason: "hard_bounce", suppressed_at: expect.any(String) },
      ],
      would_be_suppressed: false,
      sizes: { recipients: 2, subject_characters: 7, html_bytes: 2, text_bytes: 3 },
      idempotency: { state: "new" },
      rate_limits: [
        { window_seconds: 1, limit: 3, remaining: 3 },
        { window_seconds: 10, limit: 20, remaining: 20 },
        { window_seconds: 60, limit: 100, remaining: 100 },
      ],
      quotas: [],
    });
  });

  test("with every problem of the payload, as POST /api/v1/send reports them", async () => {
    const sender = await aSender();
    const body = { to: ["nobody", "a@b"], subject: "a\nb", text: null, extra: 1 };
    const validation = (await validate(sender, body)).json();
    const sent = (await send(sender, body)).json();
    expect(validation).toMatchObject({ valid: false, would_answer: { status: 422, code: "VALIDATION_ERROR" } });
    expect(validation.problems).toEqual(sent.error.details);
    expect(validation.problems.length).toBeGreaterThan(3);
    expect(validation).toMatchObject({ domain: null, recipients: null, sizes: null, idempotency: null });
  });

  test("with the remaining rate limits, without using them", async () => {
    const sender = await aSender([100, 3, 100]);
    await send(sender);
    await send(sender, { extra: 1 });
    await validate(sender);
    expect((await validate(sender)).json().rate_limits[1]).toEqual({ window_seconds: 10, limit: 3, remaining: 1 });
    expect((await send(sender)).status).toBe(202);
    expect((await validate(sender)).json()).toMatchObject({
      valid: false,
      would_answer: { status: 429, code: "RATE_LIMIT_EXCEEDED" },
      problems: [],
    });
  });

  test("and stores, queues and logs nothing, and counts no send", async () => {
    const sender = await aSender();
    const tables = [
      "sends",
      "send_contents",
      "send_queue",
      "events",
      "idempotency_keys",
      "rate_windows where mode in ('live', 'test')",
      "list_changes",
    ];
    const counts = () =>
      Promise.all(tables.map((table) => change(api.database.db, `select count(*) as count from ${table}`)));
    const before = await counts();
    await aSuppression(api.database.db, { accountId: sender.accountId, email: "canary-validate@x.io" });
    const suppressed = await counts();
    await validate(sender, { to: ["canary-validate@x.io"], idempotency_key: "canary-validate" });
    await validate(sender, { extra: "canary-validate" });
    expect(await counts()).toEqual(suppressed);
    expect(suppressed.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(api.logLines.filter((line) => line.includes("canary-validate"))).toEqual([]);
  });

  test("for the mode of the key, or for the mode that a JWT requests", async () => {
    const login = await aLogin(api.database.db, api.deps.loginDeps);
    const domain = await aVerifiedDomain(api.database.db, login.accountId, `m-${randomBytes(5).toString("hex")}.io`);
    await aSuppression(api.database.db, { accountId: login.accountId, email: "jane@example.io", mode: "test" });
    const path = "/api/v1/send/validate";
    const body = { from: `a@${domain}`, ...hello };
    const validateAs = (query: string) =>
      api.call({ method: "POST", path: `${path}${query}`, token: login.accessToken, body });
    expect((await validateAs("")).json().would_be_suppressed).toBe(false);
    expect((await validateAs("?mode=test")).json().would_be_suppressed).toBe(true);
    expect((await validateAs("?mode=other")).status).toBe(422);
  });

  test("without the domain, suppressions and idempotency keys of another account", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    await aSuppression(api.database.db, { accountId: other.accountId, email: "jane@example.io" });
    await send(other, { idempotency_key: "theirs" });
    const validation = (await validate(sender, { from: other.from, idempotency_key: "theirs" })).json();
    expect(validation).toMatchObject({
      would_answer: { status: 400, code: "DOMAIN_NOT_VERIFIED" },
      domain: { verified: false },
      recipients: [{ suppressed: false }],
      idempotency: { state: "new" },
    });
  });
});

describe("POST /api/v1/send/validate predicts the response of POST /api/v1/send for", () => {
  interface Scenario {
    prepare?: (sender: Sender) => Promise<unknown>;
    limits?: number[];
    body?: Record<string, unknown>;
    headers?: object;
  }
  const scenarios: [string, Scenario][] = [
    ["a plain send", {}],
    ["a domain that is not registered", { body: { from: "a@elsewhere.io" } }],
    ["a domain that is pending", { prepare: ({ domain }) => change(api.database.db, pending, [domain]) }],
    ["no body", { body: { text: null } }],
    ["a malformed address", { body: { to: ["jane"] } }],
    ["51 recipients", { body: { to: Array.from({ length: 51 }, (_, n) => `p${n}@x.io`) } }],
    ["a full rate window", { limits: [1, 1, 1], prepare: (sender) => send(sender) }],
    [
      "a full rate window and an invalid payload",
      { limits: [1, 1, 1], prepare: (sender) => send(sender), body: { to: [] } },
    ],
    ["a repeat", { prepare: (sender) => send(sender, { idempotency_key: "k" }), body: { idempotency_key: "k" } }],
    [
      "a repeat whose domain is no longer verified",
      {
        prepare: async (sender) => {
          await send(sender, { idempotency_key: "k" });
          await change(api.database.db, pending, [sender.domain]);
        },
        body: { idempotency_key: "k" },
      },
    ],
    [
      "a conflict",
      { prepare: (sender) => send(sender, { idempotency_key: "k", subject: "Other" }), body: { idempotency_key: "k" } },
    ],
    [
      "different keys in the body and the header",
      { body: { idempotency_key: "k" }, headers: { "idempotency-key": "other" } },
    ],
    [
      "only suppressed recipients",
      {
        prepare: ({ accountId }) => aSuppression(api.database.db, { accountId, email: "jane@example.io" }),
      },
    ],
  ];
  const pending = "update domains set verification_status = 'Pending' where domain_name = $1";

  test.each(scenarios)("%s", async (_name, { prepare, limits, body, headers }) => {
    const sender = await aSender(limits);
    await prepare?.(sender);
    const validation = (await validate(sender, body, headers)).json();
    const response = await send(sender, body, headers);
    const sent = response.json();
    expect(validation.would_answer).toEqual({ status: response.status, code: sent.error?.code ?? null });
    if (response.status === 202) {
      expect(validation.would_be_suppressed).toBe(sent.status === "suppressed");
      expect(validation.idempotency?.state === "repeat").toBe(sent.idempotent);
      if (sent.idempotent) expect(validation.idempotency.id).toBe(sent.id);
    }
    if (response.status === 409)
      expect(validation.idempotency).toMatchObject({ state: "conflict", differing_fields: ["subject"] });
  });
});

describe("POST /api/v1/send/validate with the key that an earlier answer named, when that request had no key", () => {
  test("reports a repeat of the same payload, also when the domain is no longer verified", async () => {
    const sender = await aSender();
    const { id, idempotency_key } = (await send(sender)).json();
    const repeat = { valid: true, would_answer: { status: 202, code: null }, idempotency: { state: "repeat", id } };
    expect((await validate(sender, { idempotency_key })).json()).toMatchObject(repeat);
    expect((await validate(sender, {}, { "idempotency-key": idempotency_key })).json()).toMatchObject(repeat);
    await change(api.database.db, "update domains set verification_status = 'Pending' where domain_name = $1", [
      sender.domain,
    ]);
    expect((await validate(sender, { idempotency_key })).json()).toMatchObject(repeat);
    expect((await send(sender, { idempotency_key })).json()).toMatchObject({ id, idempotent: true });
  });

  test("reports a conflict for another payload, without the differing fields, which are not stored", async () => {
    const sender = await aSender();
    const { id, idempotency_key } = (await send(sender)).json();
    const validation = (await validate(sender, { idempotency_key, subject: "Other" })).json();
    expect(validation).toMatchObject({ valid: false, would_answer: { status: 409, code: "CONFLICT" } });
    expect(validation.idempotency).toEqual({ state: "conflict", id });
    expect((await send(sender, { idempotency_key, subject: "Other" })).status).toBe(409);
  });

  test("reports a new send when the id belongs to a send with a key of its own, another account or the other mode", async () => {
    const [sender, other] = [await aSender(), await aSender()];
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, sender.accountId, { type: "test" });
    const keyed = (await send(sender, { idempotency_key: "k" })).json();
    const keyless = (await send(sender)).json();
    const cases = [
      [sender, keyed.id],
      [other, keyless.id],
      [{ ...sender, key }, keyless.id],
    ] as const;
    for (const [caller, idempotency_key] of cases) {
      expect((await validate(caller, { idempotency_key })).json().idempotency).toEqual({ state: "new" });
      expect((await send(caller, { idempotency_key })).json()).toMatchObject({ idempotent: false });
    }
  });
});

test("POST /api/v1/send/validate returns 401 without a credential", async () => {
  expect((await api.call({ method: "POST", path: "/api/v1/send/validate", body: hello })).status).toBe(401);
});

test("POST /api/v1/send/validate returns 413 for a body over 8 MiB", async () => {
  const sender = await aSender();
  expect((await validate(sender, { text: "x".repeat(8 * 1024 * 1024) })).status).toBe(413);
});

test("POST /api/v1/send/validate returns 415 for a body that is not declared as JSON", async () => {
  const sender = await aSender();
  expect((await validate(sender, {}, { "content-type": "text/plain" })).status).toBe(415);
});

test("POST /api/v1/send/validate reports a body that is not JSON as a problem of the payload", async () => {
  const { key } = await aSender();
  const headers = { "content-type": "application/json" };
  const response = await api.call({ method: "POST", path: "/api/v1/send/validate", key, headers, rawBody: "{" });
  expect(response.json()).toMatchObject({ would_answer: { status: 422 }, problems: [{ field: "body" }] });
});
