import { expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { addGuardCounts } from "../../../../test/guard-counts.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { holdAccount } from "../../../accounts/account-store.ts";
import { setLimits } from "../../../accounts/limit-store.ts";
import { setQuotas } from "../../../accounts/quota-store.ts";

const api = useTestApi();

test("a key returns its account, its mode and the default rate limits", async () => {
  const { accountId } = await aLogin(api.database.db, api.deps.loginDeps);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type: "test" });
  const { status, json } = await api.call({ method: "GET", path: "/api/v1/account", key });
  expect(status).toBe(200);
  expect(json()).toEqual({
    tenant_id: accountId,
    name: "An account",
    credential: "api_key",
    mode: "test",
    totp_required: false,
    rate_limits: { per_second: 3, per_10_seconds: 20, per_minute: 100 },
    quotas: [],
    held: false,
    held_reason: null,
    reputation: {
      state: "unknown",
      outcomes: 0,
      hard_bounces: 0,
      complaints: 0,
      bounce_rate: null,
      complaint_rate: null,
      warnings: [],
    },
  });
});

test("a key for one domain does not see the rates of the account, which count all domains", async () => {
  const { accountId } = await aLogin(api.database.db, api.deps.loginDeps);
  const options = { domain: "shop.example" };
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, options);
  const { status, json } = await api.call({ method: "GET", path: "/api/v1/account", key });
  expect([status, Object.hasOwn(json(), "reputation")]).toEqual([200, false]);
});

test("raised rate limits are returned", async () => {
  const { accountId, accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
  await setLimits(api.database.db, accountId, { perSecond: 50 });
  const { json } = await api.call({ method: "GET", path: "/api/v1/account", token: accessToken });
  expect(json().rate_limits).toEqual({ per_second: 50, per_10_seconds: 20, per_minute: 100 });
});

test("rates above the review line are returned with a warning, and those of another account are not", async () => {
  const [mine, theirs] = [
    await aLogin(api.database.db, api.deps.loginDeps),
    await aLogin(api.database.db, api.deps.loginDeps),
  ];
  await addGuardCounts(api.database.db, mine.accountId, { outcomes: 200, hardBounces: 12, complaints: 1 });
  expect((await accountOf(mine)).reputation).toEqual({
    state: "warning",
    outcomes: 200,
    hard_bounces: 12,
    complaints: 1,
    bounce_rate: 0.06,
    complaint_rate: 0.005,
    warnings: [
      expect.stringMatching(/^12 of 200 recipients \(6 %\) bounced permanently\. SES reviews senders above 5 %/),
      expect.stringMatching(/^1 of 200 recipients \(0\.5 %\) reported/),
    ],
  });
  expect((await accountOf(theirs)).reputation).toMatchObject({ state: "unknown", outcomes: 0 });
});

test("an account with good rates has no warning", async () => {
  const login = await aLogin(api.database.db, api.deps.loginDeps);
  await addGuardCounts(api.database.db, login.accountId, { outcomes: 1_000, hardBounces: 50, complaints: 1 });
  expect((await accountOf(login)).reputation).toMatchObject({ state: "good", bounce_rate: 0.05, warnings: [] });
});

test("a hold by the guard is returned for live mail, and one by the operator for both modes", async () => {
  const login = await aLogin(api.database.db, api.deps.loginDeps);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, login.accountId, { type: "test" });
  await change(api.database.db, "update accounts set guard_held_at = now(), guard_reason = 'bounces' where id = $1", [
    login.accountId,
  ]);
  expect(await accountOf(login)).toMatchObject({ held: true, held_reason: "bounces" });
  expect(await accountOf({ key })).toMatchObject({ held: false, held_reason: null });
  await holdAccount(api.database.db, login.accountId, "a note for the operator");
  expect(await accountOf({ key })).toMatchObject({ held: true, held_reason: expect.not.stringContaining("note") });
});

test("the quotas of a mode are returned with what the account uses, and those of another account are not", async () => {
  const { db } = api.database;
  const [mine, theirs] = [await aLogin(db, api.deps.loginDeps), await aLogin(db, api.deps.loginDeps)];
  const { key } = await anApiKey(db, api.deps.apiKeyIssuer, mine.accountId, { type: "test" });
  const { accountId } = mine;
  await setQuotas(db, { accountId, mode: "live" }, { recipientsPerDay: 1_000, trial: 50, storedContentBytes: 5_000 });
  await setQuotas(db, { accountId, mode: "test" }, { queuedRecipients: 3, recipientsPerDay: 10 });
  await api.deps.acceptDeps.quotas.refresh();
  const body = { from: "a@sandbox.test", to: ["delivered@sandbox.test", "b@sandbox.test"], subject: "Hi", text: "Hi" };
  expect((await api.call({ method: "POST", path: "/api/v1/send", key, body })).status).toBe(202);

  expect((await accountOf(mine)).quotas).toEqual([
    { name: "recipients_per_day", limit: 50, used: 0, trial: true },
    { name: "stored_content_bytes", limit: 5_000, used: 0, trial: false },
  ]);
  const ofTest = [
    { name: "recipients_per_day", limit: 10, used: 2, trial: false },
    { name: "queued_recipients", limit: 3, used: 2, trial: false },
  ];
  expect((await accountOf({ key })).quotas).toEqual(ofTest);
  expect(await accountOf(mine, "?mode=test")).toMatchObject({ mode: "test", quotas: ofTest });
  expect((await accountOf(theirs)).quotas).toEqual([]);
});

test("422 for the other mode of a key, and for an unknown one", async () => {
  const { accountId } = await aLogin(api.database.db, api.deps.loginDeps);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type: "test" });
  for (const mode of ["live", "both"]) {
    const { error } = await accountOf({ key }, `?mode=${mode}`);
    expect([error.code, error.details[0].field]).toEqual(["VALIDATION_ERROR", "mode"]);
  }
  expect(await accountOf({ key }, "?mode=test")).toMatchObject({ mode: "test" });
});

async function accountOf({ key, accessToken }: { key?: string; accessToken?: string }, query = "") {
  const credential = key === undefined ? { token: accessToken ?? "" } : { key };
  return (await api.call({ method: "GET", path: `/api/v1/account${query}`, ...credential })).json();
}
