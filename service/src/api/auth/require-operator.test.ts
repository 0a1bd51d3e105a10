import { describe, expect, test } from "vitest";
import { authenticatorApp } from "../../../test/authenticator-app.ts";
import { aLogin, anAccount, anApiKey } from "../../../test/builders.ts";
import { anOperator } from "../../../test/operator-user.ts";
import { change } from "../../../test/send-rows.ts";
import { aTotpUser, logInWith, post } from "../../../test/totp-user.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { setOperator } from "../../accounts/operator-store.ts";
import { resetPassword } from "../../logins/reset-password.ts";
import { routeAccess } from "./route-access.ts";

const api = useTestApi();
const operatorRoutes = Object.entries(routeAccess).filter(([route]) => route.includes(" /api/v1/operator/"));

test("every operator route needs the role operator and opens to no API key", () => {
  expect(operatorRoutes.length).toBeGreaterThan(4);
  for (const [route, access] of operatorRoutes) expect([route, access]).toMatchObject([route, { key: "never" }]);
  const needing = Object.values(routeAccess).filter((access) => !access.public && access.role === "operator");
  expect(needing).toHaveLength(operatorRoutes.length);
});

describe("an operator route opens to", () => {
  test("an operator who logged in with a code, whatever the role in the account", async () => {
    const { accessToken, accountId } = await anOperator(api, { role: "viewer" });
    for (const [route] of operatorRoutes.filter(([name]) => name.startsWith("GET "))) {
      const path = route.slice("GET ".length).replace("/accounts/:id", `/accounts/${accountId}`);
      expect((await read(accessToken, path)).status, route).toBe(200);
    }
  });

  test("the same log-in after a refresh and after a switch to another account of the operator", async () => {
    const operator = await anOperator(api);
    const other = await anotherAccountOf(operator.id);
    const refreshed = await post(api, operator, "refresh", { refresh_token: operator.refreshToken });
    expect((await read(refreshed.json().access_token)).status).toBe(200);
    const switched = await post(api, operator, "switch", { tenant_id: other });
    expect((await read(switched.json().access_token)).status).toBe(200);
  });
});

describe("403 FORBIDDEN", () => {
  test("for every user who is not an operator, with the same words, also for an owner with TOTP", async () => {
    const owner = await aTotpUser(api);
    const withCode = (await logInWith(api, owner, { totp_code: owner.app.code(1) })).json().access_token;
    const viewer = await aLogin(api.database.db, api.deps.loginDeps, { role: "viewer" });
    const messages = [];
    for (const token of [withCode, owner.accessToken, viewer.accessToken]) messages.push(await refusal(token));
    expect(new Set(messages)).toEqual(new Set(["Your user may not call this path."]));
  });

  test("for an operator who has turned TOTP off, who hears where to set it up", async () => {
    const operator = await anOperator(api);
    await change(api.database.db, "update users set totp_enabled_at = null where id = $1", [operator.id]);
    expect(await refusal(operator.accessToken)).toMatch(/POST \/api\/v1\/auth\/totp, then ask for `postern admin/);
  });

  test("for the session in which the operator has turned TOTP on, because its log-in had no code", async () => {
    const user = await aTotpUser(api);
    await setOperator(api.database.db, user.email, true);
    expect(await refusal(user.accessToken)).toMatch(/Log in again with totp_code/);
  });

  test("for a log-in with a recovery code", async () => {
    const user = await aTotpUser(api);
    await setOperator(api.database.db, user.email, true);
    const { json } = await logInWith(api, user, { recovery_code: user.recoveryCodes[0] });
    expect(await refusal(json().access_token)).toMatch(/a recovery code is not enough/);
  });

  test("after a new enrolment, which two recovery codes give, until the command line gives the right again", async () => {
    const operator = await anOperator(api);
    const [first, second] = operator.recoveryCodes;
    const stolen = (await logInWith(api, operator, { recovery_code: first })).json();
    const thief = { ...operator, accessToken: stolen.access_token };
    expect(
      (await post(api, thief, "totp/disable", { password: operator.password, recovery_code: second })).status,
    ).toBe(200);
    const { secret } = (await post(api, thief, "totp", { password: operator.password })).json();
    const app = authenticatorApp(secret);
    await post(api, thief, "totp/confirm", { totp_code: app.code() });
    const withCode = (await logInWith(api, operator, { totp_code: app.code(1) })).json().access_token;
    expect(await refusal(withCode)).toMatch(/anew since you became an operator.*set-operator` again/);
    expect(await setOperator(api.database.db, operator.email, true)).toEqual({ outcome: "changed" });
    expect((await read(withCode)).status).toBe(200);
  });

  test("for a log-in with the code of an earlier enrolment, also when the right was given again", async () => {
    const operator = await anOperator(api);
    await change(api.database.db, "update users set totp_enabled_at = now() where id = $1", [operator.id]);
    await setOperator(api.database.db, operator.email, true);
    expect(await refusal(operator.accessToken)).toMatch(/Log in again with totp_code/);
  });

  test("12 hours after the log-in, however often it is refreshed or switched; not shortly before", async () => {
    const operator = await anOperator(api);
    const other = await anotherAccountOf(operator.id);
    const [enrolled, age] = [
      "update users set totp_enabled_at = now() - interval '2 days' where id = $1",
      "update logins set totp_login_at = now() - make_interval(mins => $2) where user_id = $1",
    ];
    await change(api.database.db, enrolled, [operator.id]);
    await change(api.database.db, age, [operator.id, 719]);
    expect((await read(operator.accessToken)).status).toBe(200);
    await change(api.database.db, age, [operator.id, 720]);
    const refreshed = await post(api, operator, "refresh", { refresh_token: operator.refreshToken });
    const switched = await post(api, operator, "switch", { tenant_id: other });
    for (const token of [operator.accessToken, refreshed.json().access_token, switched.json().access_token]) {
      expect(await refusal(token)).toMatch(/last 12 hours.*refreshing the token is not enough/);
    }
  });

  test("with the first request after the flag was taken", async () => {
    const operator = await anOperator(api);
    expect((await read(operator.accessToken)).status).toBe(200);
    await setOperator(api.database.db, operator.email, false);
    expect(await refusal(operator.accessToken)).toBe("Your user may not call this path.");
  });
});

test("401 for an API key in either header, also one of the operator's own account", async () => {
  const { accountId } = await anOperator(api);
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { scopes: ["send", "read"] });
  const path = "/api/v1/operator/status";
  const inOwnHeader = await api.call({ method: "GET", path, key });
  const asBearer = await api.call({ method: "GET", path, token: key });
  expect([inOwnHeader.status, asBearer.status]).toEqual([401, 401]);
});

test("401 after the password of the operator was reset, and the log-in afterwards needs a code again", async () => {
  const operator = await anOperator(api);
  const password = await resetPassword(api.database.db, operator.email);
  expect((await read(operator.accessToken)).status).toBe(401);
  expect((await logInWith(api, { ...operator, password })).status).toBe(401);
});

async function refusal(token: string): Promise<string> {
  const { status, json } = await read(token);
  expect([status, json().error.code]).toEqual([403, "FORBIDDEN"]);
  return json().error.message;
}

function read(token: string, path = "/api/v1/operator/accounts") {
  return api.call({ method: "GET", path, token });
}

async function anotherAccountOf(userId: string): Promise<string> {
  const accountId = await anAccount(api.database.db);
  const join = "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')";
  await change(api.database.db, join, [userId, accountId]);
  return accountId;
}
