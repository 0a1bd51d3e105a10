import { describe, expect, test, vi } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aSuppression, aVerifiedDomain } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { AppError } from "../../../errors.ts";
import { foldUsage } from "../../../usage/usage-chores.ts";

const api = useTestApi();

async function anAccountWithKeys() {
  const session = await aLogin(api.database.db, api.deps.loginDeps);
  await change(api.database.db, "update accounts set limit_per_second = 100 where id = $1", [session.accountId]);
  const keys = await Promise.all(
    (["live", "test"] as const).map((type) =>
      anApiKey(api.database.db, api.deps.apiKeyIssuer, session.accountId, { type, scopes: ["send", "read"] }),
    ),
  );
  const [live, sandbox] = keys;
  if (live === undefined || sandbox === undefined) throw new Error("the keys were not created");
  return { ...session, live, sandbox, domain: await aVerifiedDomain(api.database.db, session.accountId) };
}

function send(key: string, from: string, to: string[], tags?: string[]) {
  const body = { from, to, subject: "Hi", text: "Hi", ...(tags && { tags }) };
  return api.call({ method: "POST", path: "/api/v1/send", key, body });
}

async function usage(credential: { token: string } | { key: string }, query = "") {
  const response = await api.call({ method: "GET", path: `/api/v1/usage${query}`, ...credential });
  return { status: response.status, ...response.json() };
}

const lastHours = () => `?from=${new Date(Date.now() - 7_200_000).toISOString()}`;

describe("GET /api/v1/usage returns 200", () => {
  test("with what the account sent, per mode and domain, whether it is folded or not", async () => {
    const { accountId, accessToken: token, live, sandbox, domain } = await anAccountWithKeys();
    await aSuppression(api.database.db, { accountId, email: "gone@x.test" });
    await send(live.key, `a@${domain}`, ["b@x.test", "gone@x.test"]);
    await foldUsage(api.database.db, 60_000);
    await send(live.key, `A <a@${domain.toUpperCase()}>`, ["c@x.test"]);
    await send(sandbox.key, "a@sandbox.test", ["delivered@sandbox.test"]);

    const ofKey = await usage({ key: live.key }, `${lastHours()}&group=domain&by=day`);
    expect(ofKey.data.usage).toEqual([
      {
        start: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`,
        domain,
        accepted_sends: 2,
        accepted_recipients: 3,
        delivered: 0,
        bounced_hard: 0,
        bounced_soft: 0,
        complained: 0,
        suppressed: 1,
        failed: 0,
        delayed: 0,
        delivery_times: Array(16).fill(0),
      },
    ]);
    const both = await usage({ token }, `${lastHours()}&by=day`);
    expect(both.data.usage).toEqual([expect.objectContaining({ accepted_sends: 3, accepted_recipients: 4 })]);
    const ofTest = await usage({ token }, `${lastHours()}&by=day&mode=test&group=domain`);
    expect(ofTest.data.usage).toEqual([expect.objectContaining({ domain: "sandbox.test", accepted_sends: 1 })]);
    expect(ofTest.data.delivery_time_bounds_ms).toHaveLength(15);
  });

  test("with sends and refusals of each key, by code", async () => {
    const { accessToken: token, live, domain } = await anAccountWithKeys();
    await send(live.key, `a@${domain}`, ["b@x.test"]);
    await send(live.key, "a@unknown.test", ["b@x.test"]);
    await send(live.key, `a@${domain}`, []);
    await send(live.key, `a@${domain}`, []);
    await api.deps.refusalCounts.flush();
    await send(live.key, "a@unknown.test", ["b@x.test"]);
    await api.deps.refusalCounts.flush();
    await api.deps.refusalCounts.flush();
    const { data } = await usage({ token }, `${lastHours()}&by=day&group=api_key`);
    expect(data.usage).toEqual([
      expect.objectContaining({
        api_key_id: live.id,
        accepted_sends: 1,
        accepted_recipients: 1,
        refusals: [
          { code: "VALIDATION_ERROR", count: 2 },
          { code: "DOMAIN_NOT_VERIFIED", count: 2 },
        ],
      }),
    ]);
  });

  test("with an entry for each tag, in which a send with two tags counts twice", async () => {
    const { accessToken: token, live, sandbox, domain } = await anAccountWithKeys();
    await send(live.key, `a@${domain}`, ["b@x.test", "c@x.test"], ["receipt", "shop"]);
    await foldUsage(api.database.db, 60_000);
    await send(live.key, `a@${domain}`, ["b@x.test"], ["shop"]);
    await send(live.key, `a@${domain}`, ["b@x.test"]);
    await send(sandbox.key, "a@sandbox.test", ["delivered@sandbox.test"], ["shop"]);
    const { data } = await usage({ key: live.key }, "?group=tag");
    expect(data.by).toBe("day");
    expect(data.usage).toMatchObject([
      { tag: "receipt", accepted_sends: 1, accepted_recipients: 2, delivered: 0, delivery_times: Array(16).fill(0) },
      { tag: "shop", accepted_sends: 2, accepted_recipients: 3, failed: 0 },
    ]);
    const both = await usage({ token }, "?group=tag&by=range&from=2026-11-02T10:00:00Z&to=2026-11-03T10:00:00Z");
    expect(both.data).toMatchObject({ from: "2026-11-02T00:00:00.000Z", to: "2026-11-04T00:00:00.000Z", usage: [] });
    const ofBoth = await usage({ token }, "?group=tag&by=range");
    expect(ofBoth.data.usage[1]).toMatchObject({ tag: "shop", accepted_sends: 3, start: ofBoth.data.from });
  });

  test("with one entry for the range, of all or of each domain or key", async () => {
    const { accountId, live, domain } = await anAccountWithKeys();
    await send(live.key, `a@${domain}`, ["b@x.test"]);
    const earlier = `
      insert into usage_hours (account_id, mode, hour, domain, accepted_sends)
      values ($1, 'live', date_trunc('hour', now()) - interval '3 days', $2, 5)`;
    await change(api.database.db, earlier, [accountId, domain]);
    const range = `?by=range&from=${new Date(Date.now() - 4 * 86_400_000).toISOString()}`;
    const entries = [];
    for (const group of ["", "&group=domain", "&group=api_key"]) {
      const { data } = await usage({ key: live.key }, `${range}${group}`);
      expect(data.usage).toMatchObject([{ start: data.from }]);
      entries.push(data.usage[0].accepted_sends);
    }
    expect(entries).toEqual([6, 6, 1]);
  });

  test("without requests that failed because Postern was not available", async () => {
    const { accessToken: token, live, domain } = await anAccountWithKeys();
    const find = vi.spyOn(api.deps.acceptDeps.refusals, "find").mockImplementationOnce(() => {
      throw new AppError("UNAVAILABLE", "The database cannot be reached at the moment.", { retryAfterSeconds: 2 });
    });
    expect((await send(live.key, `a@${domain}`, ["b@x.test"])).status).toBe(503);
    find.mockRestore();
    await api.deps.refusalCounts.flush();
    expect((await usage({ token }, `${lastHours()}&by=day&group=api_key`)).data.usage).toEqual([]);
  });

  test("without entries for an account whose neighbour sends", async () => {
    const [own, other] = [await anAccountWithKeys(), await anAccountWithKeys()];
    await send(other.live.key, `a@${other.domain}`, ["b@x.test"], ["receipt"]);
    for (const group of ["", "&group=domain", "&group=api_key", "&group=tag"]) {
      expect((await usage({ token: own.accessToken }, `?by=day${group}`)).data.usage).toEqual([]);
    }
  });

  test("for whole hours and days, by default the last 24 hours", async () => {
    const { accessToken: token } = await anAccountWithKeys();
    const byDefault = (await usage({ token })).data;
    expect(Date.parse(byDefault.to) - Date.parse(byDefault.from)).toBe(86_400_000);
    expect(byDefault.by).toBe("hour");
    const range = "?from=2026-11-01T10:20:00Z&to=2026-11-03T00:00:01Z";
    const [hours, days] = [await usage({ token }, range), await usage({ token }, `${range}&by=day`)];
    expect(hours.data).toMatchObject({ from: "2026-11-01T10:00:00.000Z", to: "2026-11-03T01:00:00.000Z" });
    expect(days.data).toMatchObject({ from: "2026-11-01T00:00:00.000Z", to: "2026-11-04T00:00:00.000Z" });
  });
});

describe("GET /api/v1/usage returns 422", () => {
  test.each([
    ["?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z", "to"],
    ["?from=2026-01-01T00:00:00Z&to=2026-11-01T00:00:00Z", "to"],
    ["?from=2026-01-01T00:00:00Z&to=2026-11-01T00:00:00Z&by=day", "to"],
    ["?from=2026-01-01T00:00:00Z&to=2026-11-01T00:00:00Z&by=range", "to"],
    ["?by=week", "by"],
    ["?by=hour&group=tag", "by"],
    ["?group=recipient", "group"],
    ["?from=yesterday", "from"],
  ])("for %s", async (query, field) => {
    const { accessToken: token } = await anAccountWithKeys();
    const { status, error } = await usage({ token }, query);
    expect([status, error.details[0].field]).toEqual([422, field]);
  });

  test("for a range with more than 5,000 entries", async () => {
    const { accountId, accessToken: token } = await anAccountWithKeys();
    await change(
      api.database.db,
      `insert into usage_hours (account_id, mode, hour, domain) select $1, 'live', date_trunc('hour', now()), 'd' || n from generate_series(1, 5001) as n`,
      [accountId],
    );
    expect((await usage({ token }, "?group=domain")).status).toBe(422);
    expect((await usage({ token })).data.usage).toHaveLength(1);
  });
});

test("GET /api/v1/usage returns 401 without a credential", async () => {
  expect((await api.call({ method: "GET", path: "/api/v1/usage" })).status).toBe(401);
});
