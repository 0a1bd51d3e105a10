import { expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { setLimits } from "../../../accounts/limit-store.ts";

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
    rate_limits: { per_second: 3, per_10_seconds: 20, per_minute: 100 },
  });
});

test("raised rate limits are returned", async () => {
  const { accountId, accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
  await setLimits(api.database.db, accountId, { perSecond: 50 });
  const { json } = await api.call({ method: "GET", path: "/api/v1/account", token: accessToken });
  expect(json().rate_limits).toEqual({ per_second: 50, per_10_seconds: 20, per_minute: 100 });
});
