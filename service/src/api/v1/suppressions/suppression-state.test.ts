import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { createLog } from "../../../log.ts";
import type { Mode } from "../../../mode.ts";
import { ProviderError } from "../../../provider/email-provider.ts";
import { removalRecordChores, suppressionChores } from "../../../suppressions/suppression-chores.ts";

const api = useTestApi();
const db = () => api.database.db;

type Session = Awaited<ReturnType<typeof aSession>>;

function aSession() {
  return aLogin(db(), api.deps.loginDeps);
}

function lookUp({ accessToken }: Session, email: string, query = "") {
  return api.call({
    method: "GET",
    path: `/api/v1/suppression/${encodeURIComponent(email)}${query}`,
    token: accessToken,
  });
}

async function stateOf(session: Session, email: string) {
  const { status, json } = await lookUp(session, email);
  expect(status).toBe(200);
  return json().data;
}

async function removed(session: Session, email: string, mode: Mode = "live") {
  await aSuppression(db(), { accountId: session.accountId, email, mode });
  const path = `/api/v1/suppression/${encodeURIComponent(email)}`;
  expect((await api.call({ method: "DELETE", path, token: session.accessToken })).status).toBe(200);
}

/** The chore of the worker asks a provider that answers with `failure`, or does what it is asked. */
async function runChore(failure?: ProviderError["kind"], during: () => Promise<void> = async () => undefined) {
  await change(db(), "update control_budget set spacing = '1 microsecond', next_at = now()");
  await change(db(), "update suppression_removals set next_try_at = now()");
  const provider = {
    async removeSuppressedAddress() {
      await during();
      if (failure !== undefined) throw new ProviderError(failure, "no", undefined);
    },
  };
  const [chore] = suppressionChores({ db: db(), provider, log: createLog("silent") });
  await chore?.run();
}

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe("GET /api/v1/suppression/:email returns 200", () => {
  test("with the entries of an address, written in any way, and of the wanted mode", async () => {
    const session = await aSession();
    for (const mode of ["live", "test"] as Mode[]) {
      await aSuppression(db(), { accountId: session.accountId, email: "jane@x.test", mode });
    }
    const state = await stateOf(session, "JANE@X.test");
    expect(state).toMatchObject({
      email: "jane@x.test",
      suppressions: [
        { email: "jane@x.test", mode: "live" },
        { email: "jane@x.test", mode: "test" },
      ],
      removals: [],
    });
    expect((await lookUp(session, "jane@x.test", "?mode=test")).json().data.suppressions).toMatchObject([
      { mode: "test" },
    ]);
  });

  test("with who removed it, and that SES has not confirmed yet, then that SES removed it", async () => {
    const session = await aSession();
    await removed(session, "gone@x.test");
    expect(await stateOf(session, "gone@x.test")).toEqual({
      email: "gone@x.test",
      suppressions: [],
      removals: [
        {
          mode: "live",
          removed_at: timestamp,
          removed_by: { kind: "user", name: session.email },
          provider: { status: "pending", finished_at: null, next_try_at: timestamp, error: null },
        },
      ],
    });
    await runChore();
    expect((await stateOf(session, "gone@x.test")).removals).toMatchObject([
      { provider: { status: "removed", finished_at: timestamp, next_try_at: null, error: null } },
    ]);
  });

  test("with the prefix of the key that removed it, and not_needed in test mode", async () => {
    const session = await aSession();
    const scopes = ["suppressions", "read"] as const;
    const { key, keyPrefix } = await anApiKey(db(), api.deps.apiKeyIssuer, session.accountId, {
      type: "test",
      scopes: [...scopes],
    });
    await aSuppression(db(), { accountId: session.accountId, email: "t@x.test", mode: "test" });
    const path = "/api/v1/suppression/t%40x.test";
    expect((await api.call({ method: "DELETE", path, key })).status).toBe(200);
    expect((await api.call({ method: "GET", path, key })).json().data.removals).toMatchObject([
      {
        mode: "test",
        removed_by: { kind: "key", name: keyPrefix },
        provider: { status: "not_needed", finished_at: null, next_try_at: null },
      },
    ]);
  });

  test.each(["throttled", "unavailable", "denied", "limit-reached"] as const)(
    "with the next try and its reason while SES answers %s, and with the outcome afterwards",
    async (kind) => {
      const session = await aSession();
      const email = `${kind}@x.test`;
      await removed(session, email);
      await runChore(kind);
      const { provider } = (await stateOf(session, email)).removals[0];
      expect(provider).toMatchObject({ status: "pending", finished_at: null, error: kind.replace("-", "_") });
      expect(Date.parse(provider.next_try_at)).toBeGreaterThan(Date.now());
      await runChore();
      expect((await stateOf(session, email)).removals[0].provider).toMatchObject({ status: "removed", error: null });
    },
  );

  test("with refused for an address that SES does not accept", async () => {
    const session = await aSession();
    await removed(session, "odd@x.test");
    await runChore("invalid");
    expect((await stateOf(session, "odd@x.test")).removals[0].provider).toMatchObject({
      status: "refused",
      finished_at: timestamp,
      next_try_at: null,
      error: "invalid",
    });
  });

  test("with kept when the recipient complained after the removal, and the new entry", async () => {
    const session = await aSession();
    await removed(session, "angry@x.test");
    await aSuppression(db(), { accountId: session.accountId, email: "angry@x.test", reason: "complaint" });
    await runChore();
    expect(await stateOf(session, "angry@x.test")).toMatchObject({
      suppressions: [{ reason: "complaint" }],
      removals: [{ provider: { status: "kept" } }],
    });
  });

  test("with the outcome for every account that waits, and with a later removal pending until it is carried out", async () => {
    const [one, other] = [await aSession(), await aSession()];
    await removed(one, "both@x.test");
    await removed(other, "both@x.test");
    await runChore();
    for (const session of [one, other]) {
      expect((await stateOf(session, "both@x.test")).removals[0].provider.status).toBe("removed");
    }
    await removed(one, "both@x.test");
    const statuses: string[] = [];
    await runChore(undefined, async () => {
      // The first call is under way for the note of `one` when `other` asks again.
      if (statuses.length === 0) await removed(other, "both@x.test");
      statuses.push((await stateOf(other, "both@x.test")).removals[0].provider.status);
    });
    expect(statuses).toEqual(["pending", "pending"]);
    for (const session of [one, other]) {
      expect((await stateOf(session, "both@x.test")).removals[0].provider.status).toBe("removed");
    }
  });
});

test("GET /api/v1/suppression/:email returns 401 without a credential and with a key without the scope read", async () => {
  const session = await aSession();
  const { key } = await anApiKey(db(), api.deps.apiKeyIssuer, session.accountId);
  const path = "/api/v1/suppression/a%40x.test";
  expect((await api.call({ method: "GET", path })).status).toBe(401);
  expect((await api.call({ method: "GET", path, key })).status).toBe(401);
});

test("GET /api/v1/suppression/:email returns 404 for an address of another account, an unknown one, and other text", async () => {
  const [session, other] = [await aSession(), await aSession()];
  await removed(other, "theirs@x.test");
  await aSuppression(db(), { accountId: other.accountId, email: "theirs@x.test" });
  for (const email of ["theirs@x.test", "nobody@x.test", "no address", "a@b@c"]) {
    const { status, json } = await lookUp(session, email);
    expect([status, json().error.code]).toEqual([404, "NOT_FOUND"]);
  }
});

test("GET /api/v1/suppression/:email returns 422 for an unknown parameter and mode", async () => {
  const session = await aSession();
  for (const query of ["?mode=other", "?limit=1"]) {
    expect((await lookUp(session, "a@x.test", query)).status).toBe(422);
  }
});

test("a removal is forgotten after 90 days, but not while SES has not confirmed it", async () => {
  const session = await aSession();
  await removed(session, "done@x.test", "test");
  await removed(session, "waiting@x.test");
  await change(db(), "update removed_suppressions set removed_at = now() - interval '91 days'");
  expect((await lookUp(session, "done@x.test")).status).toBe(404);
  for (const chore of removalRecordChores(db())) await chore.run();
  const left = "select email from removed_suppressions where account_id = $1";
  expect(await change(db(), left, [session.accountId])).toEqual([{ email: "waiting@x.test" }]);
  expect((await stateOf(session, "waiting@x.test")).removals).toHaveLength(1);
});
