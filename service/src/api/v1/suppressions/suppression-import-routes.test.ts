import { describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();
const db = () => api.database.db;

function aSession() {
  return aLogin(db(), api.deps.loginDeps);
}

type Session = Awaited<ReturnType<typeof aSession>>;

function importEntries({ accessToken }: Session, body: unknown, query = "") {
  return api.call({ method: "POST", path: `/api/v1/suppression/import${query}`, token: accessToken, body });
}

function rowsOf({ accountId }: Session) {
  return change(db(), "select email, reason, note, mode from suppressions where account_id = $1 order by email", [
    accountId,
  ]);
}

describe("POST /api/v1/suppression/import returns 200", () => {
  const entries = [
    { email: "A@x.test", reason: "complaint", note: "from the old system" },
    { email: "known@x.test", reason: "manual" },
    { email: "a@X.test" },
    { email: "no address" },
    { reason: "manual" },
    { email: "b@x.test", reason: "bored" },
  ];
  const counts = {
    new: 1,
    known: 2,
    invalid: 3,
    problems: [
      { index: 3, problem: expect.any(String) },
      { index: 4, problem: "has no address" },
      { index: 5, problem: expect.stringContaining("reason") },
    ],
  };

  test("with counts and changes nothing by default; with dry_run false it imports what it counted", async () => {
    const session = await aSession();
    await aSuppression(db(), { accountId: session.accountId, email: "known@x.test", reason: "complaint" });
    const dry = await importEntries(session, { entries });
    expect([dry.status, dry.json()]).toEqual([200, { success: true, data: { dry_run: true, ...counts } }]);
    expect(await rowsOf(session)).toHaveLength(1);
    const applied = await importEntries(session, { entries, dry_run: false });
    expect(applied.json()).toEqual({ success: true, data: { dry_run: false, ...counts } });
    expect(await rowsOf(session)).toEqual([
      { email: "a@x.test", reason: "complaint", note: "from the old system", mode: "live" },
      { email: "known@x.test", reason: "complaint", note: null, mode: "live" },
    ]);
    expect(await auditRows(db(), session.accountId, "suppression.import")).toMatchObject([
      { actor_kind: "user", after: { source: "csv", mode: "live", added: 1, strengthened: 0 } },
    ]);
  });

  test("for records of another service, and a reason for those that have none", async () => {
    const session = await aSession();
    const postmark = [{ EmailAddress: "a@x.test", SuppressionReason: "SpamComplaint", Origin: "Recipient" }];
    await importEntries(session, { entries: postmark, from: "postmark", dry_run: false });
    await importEntries(session, {
      entries: [{ address: "b@x.test" }],
      from: "mailgun",
      reason: "complaint",
      dry_run: false,
    });
    expect(await rowsOf(session)).toMatchObject([
      { email: "a@x.test", reason: "complaint" },
      { email: "b@x.test", reason: "complaint" },
    ]);
  });

  test("for 1,000 entries with a key, in its mode", async () => {
    const session = await aSession();
    const keyOptions = { type: "test", scopes: ["suppressions"] } as const;
    const { key } = await anApiKey(db(), api.deps.apiKeyIssuer, session.accountId, {
      ...keyOptions,
      scopes: ["suppressions"],
    });
    const thousand = Array.from({ length: 1_000 }, (_, number) => ({
      email: `n${number}@x.test`,
      note: "x".repeat(500),
    }));
    const body = { entries: thousand, dry_run: false };
    const { status, json } = await api.call({ method: "POST", path: "/api/v1/suppression/import", key, body });
    expect([status, json().data.new]).toEqual([200, 1_000]);
    expect(new Set((await rowsOf(session)).map(({ mode }) => mode))).toEqual(new Set(["test"]));
  });
});

describe("POST /api/v1/suppression/import refuses", () => {
  test.for([
    ["entries", { entries: [] }],
    ["entries", { entries: Array.from({ length: 1_001 }, () => ({ email: "a@x.test" })) }],
    ["entries[0]", { entries: ["a@x.test"] }],
    ["from", { entries: [{ email: "a@x.test" }], from: "ses" }],
    ["reason", { entries: [{ email: "a@x.test" }], reason: "bored" }],
    ["dry_run", { entries: [{ email: "a@x.test" }], dry_run: "no" }],
  ] as const)("with 422 that names %s", async ([field, body]) => {
    const response = await importEntries(await aSession(), body);
    expect([response.status, response.json().error.details[0].field]).toEqual([422, field]);
  });

  test("with 403 a viewer and with 401 a key that only reads", async () => {
    const { accountId } = await aSession();
    const viewer = await aLogin(db(), api.deps.loginDeps, { accountId, role: "viewer" });
    const body = { entries: [{ email: "a@x.test" }] };
    expect((await importEntries(viewer, body)).status).toBe(403);
    const { key } = await anApiKey(db(), api.deps.apiKeyIssuer, accountId, { scopes: ["read"] });
    expect((await api.call({ method: "POST", path: "/api/v1/suppression/import", key, body })).status).toBe(401);
  });
});
