import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import type { SuppressionReason } from "../../../suppression-reason.ts";

const api = useTestApi();
const db = () => api.database.db;

function aSession() {
  return aLogin(db(), api.deps.loginDeps);
}

type Session = Awaited<ReturnType<typeof aSession>>;

function add({ accessToken }: Session, body: unknown, query = "") {
  return api.call({ method: "POST", path: `/api/v1/suppression${query}`, token: accessToken, body });
}

async function listed({ accessToken }: Session, query = "") {
  const response = await api.call({ method: "GET", path: `/api/v1/suppression${query}`, token: accessToken });
  expect(response.status).toBe(200);
  return response.json();
}

function remove({ accessToken }: Session, email: string) {
  return api.call({ method: "DELETE", path: `/api/v1/suppression/${email}`, token: accessToken });
}

const providerRemovals = (email: string) =>
  change(db(), "select email from suppression_removals where email = $1", [email]);

describe("POST /api/v1/suppression returns 201", () => {
  test("with the entry: reason manual, the note, the address as it is compared, and no send", async () => {
    const session = await aSession();
    const response = await add(session, { email: "Jane@EXÄMPLE.test", reason: "manual", note: "Asked by phone" });
    expect(response.status).toBe(201);
    const entry = {
      id: expect.any(String),
      email: "jane@xn--exmple-cua.test",
      reason: "manual",
      suppressed_at: expect.stringMatching(/Z$/),
      email_id: null,
      note: "Asked by phone",
      mode: "live",
    };
    expect(response.json()).toEqual({ success: true, data: entry });
    expect(await listed(session)).toMatchObject({ data: [entry], pagination: { total: 1 } });
  });

  test("and sends accepted afterwards do not go to the address, with the reason in their event", async () => {
    const session = await aSession();
    const domain = await aVerifiedDomain(db(), session.accountId);
    await add(session, { email: "jane@example.io" });
    const send = await api.call({
      method: "POST",
      path: "/api/v1/send",
      token: session.accessToken,
      body: { from: `a@${domain}`, to: ["Jane@example.io"], subject: "Hello", text: "Hi" },
    });
    expect(send.json()).toMatchObject({ status: "suppressed", suppressed_recipients: ["Jane@example.io"] });
    const events = await api.call({ method: "GET", path: "/api/v1/events", token: session.accessToken });
    expect(events.json().data.events).toMatchObject([{ event_type: "Suppression", suppression_reason: "manual" }]);
    const validation = await api.call({
      method: "POST",
      path: "/api/v1/send/validate",
      token: session.accessToken,
      body: { from: `a@${domain}`, to: ["jane@example.io"], subject: "Hello", text: "Hi" },
    });
    expect(validation.json().recipients).toMatchObject([{ suppressed: true, reason: "manual" }]);
  });

  test("in the mode of the key, or for a login in that of the query, by default live", async () => {
    const session = await aSession();
    const { key } = await anApiKey(db(), api.deps.apiKeyIssuer, session.accountId, {
      type: "test",
      scopes: ["suppressions"],
    });
    const byKey = await api.call({ method: "POST", path: "/api/v1/suppression", key, body: { email: "a@x.test" } });
    expect(byKey.status).toBe(201);
    await add(session, { email: "b@x.test" }, "?mode=test");
    await add(session, { email: "c@x.test" });
    const { data } = await listed(session);
    expect(data.map(({ email, mode }: { email: string; mode: string }) => `${mode} ${email}`).toSorted()).toEqual([
      "live c@x.test",
      "test a@x.test",
      "test b@x.test",
    ]);
  });
});

describe("POST /api/v1/suppression returns 200 for an address that is suppressed already", () => {
  test.for<SuppressionReason>(["complaint", "hard_bounce", "manual"])(
    "and leaves an entry with the reason %s as it is",
    async (reason) => {
      const session = await aSession();
      await aSuppression(db(), { accountId: session.accountId, email: "jane@x.test", reason });
      const [before] = (await listed(session)).data;
      const response = await add(session, { email: "JANE@x.test", note: "again" });
      expect(response.status).toBe(200);
      expect(response.json().data).toEqual({ ...before, reason, note: null });
      expect((await listed(session)).data).toEqual([before]);
      expect(await auditRows(db(), session.accountId, "suppression.add")).toEqual([]);
    },
  );

  test("also to all but one of eight concurrent requests, with one audit entry", async () => {
    const session = await aSession();
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(session, { email: "race@x.test" })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...Array(7).fill(200),
      201,
    ]);
    expect(new Set(answers.map(({ json }) => json().data.id)).size).toBe(1);
    expect(await auditRows(db(), session.accountId, "suppression.add")).toHaveLength(1);
  });
});

test("POST /api/v1/suppression returns 403 to a viewer and 401 to a key without the scope", async () => {
  const { accountId } = await aSession();
  const viewer = await aLogin(db(), api.deps.loginDeps, { accountId, role: "viewer" });
  expect((await add(viewer, { email: "jane@x.test" })).status).toBe(403);
  const { key } = await anApiKey(db(), api.deps.apiKeyIssuer, accountId, { scopes: ["send", "read"] });
  const body = { email: "jane@x.test" };
  expect((await api.call({ method: "POST", path: "/api/v1/suppression", key, body })).status).toBe(401);
});

describe("POST /api/v1/suppression returns 422", () => {
  test.for([
    ["email", {}],
    ["email", { email: "no address" }],
    ["email", { email: "Jane <jane@x.test>" }],
    ["reason", { email: "jane@x.test", reason: "complaint" }],
    ["note", { email: "jane@x.test", note: "x".repeat(501) }],
    ["note", { email: "jane@x.test", note: "two\nlines" }],
    ["extra", { email: "jane@x.test", extra: 1 }],
  ] as const)("naming %s for %j", async ([field, body]) => {
    const session = await aSession();
    const response = await add(session, body);
    expect([response.status, response.json().error.details[0].field]).toEqual([422, field]);
    expect((await listed(session)).data).toEqual([]);
  });
});

describe("the removal of a manual entry", () => {
  test("does not reach the list of SES, and says so", async () => {
    const session = await aSession();
    await add(session, { email: "manual-removed@x.test" });
    expect((await remove(session, "manual-removed@x.test")).status).toBe(200);
    expect(await providerRemovals("manual-removed@x.test")).toEqual([]);
    const state = await api.call({
      method: "GET",
      path: "/api/v1/suppression/manual-removed@x.test",
      token: session.accessToken,
    });
    expect(state.json().data.removals).toMatchObject([{ mode: "live", provider: { status: "not_needed" } }]);
  });

  test("leaves an earlier removal of a bounce pending until SES has answered", async () => {
    const session = await aSession();
    await aSuppression(db(), { accountId: session.accountId, email: "twice@x.test" });
    await remove(session, "twice@x.test");
    await add(session, { email: "twice@x.test" });
    await remove(session, "twice@x.test");
    expect(await providerRemovals("twice@x.test")).toHaveLength(1);
    const path = "/api/v1/suppression/twice@x.test";
    const state = await api.call({ method: "GET", path, token: session.accessToken });
    expect(state.json().data.removals).toMatchObject([{ provider: { status: "pending" } }]);
  });
});

test("GET /api/v1/suppression?reason= lists the entries of one reason, with a cursor", async () => {
  const session = await aSession();
  const { accountId } = session;
  const reasons = ["complaint", "hard_bounce", "manual"] as const;
  for (let number = 0; number < 12; number++) {
    await aSuppression(db(), { accountId, email: `n${number}@x.test`, reason: reasons[number % 3] ?? "manual" });
  }
  const first = await listed(session, "?reason=manual&limit=3");
  expect(Object.keys(first.pagination)).toEqual(["limit", "next_before"]);
  const second = await listed(session, `?reason=manual&limit=3&before=${first.pagination.next_before}`);
  const emails = [...first.data, ...second.data].map(({ email }: { email: string }) => email);
  expect(emails).toEqual(["n11@x.test", "n8@x.test", "n5@x.test", "n2@x.test"]);
  expect(second.pagination.next_before).toBeNull();
});
