import { describe, expect, test } from "vitest";
import { authenticatorApp } from "../../../../test/authenticator-app.ts";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aTotpUser, logInWith, post } from "../../../../test/totp-user.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { codesPerUser } from "../../../logins/code-throttle.ts";

const api = useTestApi();

describe("a log-in of a user with TOTP", () => {
  test("200 with a code of the app, and 200 with a recovery code", async () => {
    const user = await aTotpUser(api);
    expect((await logInWith(api, user, { totp_code: user.app.code(1) })).status).toBe(200);
    expect((await logInWith(api, user, { recovery_code: user.recoveryCodes[3]?.toUpperCase() })).status).toBe(200);
  });

  test("401 without a code says what to send", async () => {
    const user = await aTotpUser(api);
    const { status, json } = await logInWith(api, user);
    expect([status, json().error.code]).toEqual([401, "UNAUTHORIZED"]);
    expect(json().error.details).toEqual([
      { field: "totp_code", code: "required", message: expect.stringContaining("recovery_code") },
    ]);
  });

  test("with a wrong password the answer does not reveal TOTP, with or without a code", async () => {
    const [user, plain] = [await aTotpUser(api), await aLogin(api.database.db, api.deps.loginDeps)];
    const texts = [];
    for (const { email } of [user, plain, { email: "nobody@example.com" }]) {
      for (const body of [{}, { totp_code: user.app.code() }]) {
        const { status, text } = await logInWith(api, { email, password: "wrong" }, body);
        expect(status).toBe(401);
        texts.push(text.replace(/"request_id":"[^"]+"/, ""));
      }
    }
    expect(new Set(texts).size).toBe(1);
  });

  test("a code counts once, also after a wrong one; an earlier one does not count any more", async () => {
    const user = await aTotpUser(api);
    await api.database.db.query({
      name: "forget-last-code",
      text: "update users set totp_last_step = null where id = $1",
      values: [user.id],
    });
    const totp_code = user.app.code();
    expect((await logInWith(api, user, { totp_code: user.app.code(60) })).status).toBe(401);
    expect((await logInWith(api, user, { totp_code })).status).toBe(200);
    expect((await logInWith(api, user, { totp_code })).status).toBe(401);
    expect((await logInWith(api, user, { totp_code: user.app.code(-1) })).status).toBe(401);
    expect((await logInWith(api, user, { totp_code: user.app.code(1) })).status).toBe(200);
  });

  test.for(["totp_code", "recovery_code"] as const)("of four log-ins at once with one %s, one wins", async (field) => {
    const user = await aTotpUser(api);
    const body = { [field]: field === "totp_code" ? user.app.code(1) : user.recoveryCodes[0] };
    const addresses = ["10.9.0.1", "10.9.0.2", "10.9.0.3", "10.9.0.4"];
    const answers = await Promise.all(addresses.map((address) => logInWith(api, user, body, address)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401, 401, 401]);
  });

  test("wrong codes count per user over all addresses, and lead to 429", async () => {
    const user = await aTotpUser(api);
    for (let tries = 0; tries < codesPerUser; tries++) {
      const wrong = tries % 2 === 0 ? { totp_code: user.app.code(40 + tries) } : { recovery_code: `wrong-${tries}` };
      expect((await logInWith(api, user, wrong, `10.8.0.${tries}`)).status).toBe(401);
    }
    const { status, headers } = await logInWith(api, user, { totp_code: user.app.code(1) }, "10.8.1.1");
    expect(status).toBe(429);
    expect(Number(headers["retry-after"])).toBeGreaterThan(800);
    expect((await logInWith(api, { ...user, password: "wrong" }, {}, "10.8.1.2")).status).toBe(401);
  });
});

describe("an account that requires TOTP", () => {
  test("gives users without it 403 on everything but their own sessions and the enrolment, at once", async () => {
    const owner = await aTotpUser(api, { role: "owner" });
    const member = await aLogin(api.database.db, api.deps.loginDeps, { accountId: owner.accountId, role: "owner" });
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, owner.accountId);
    expect(await accountStatus({ token: member.accessToken })).toBe(200);
    const { status, json } = await requireTotp(owner.accessToken, true);
    expect([status, json()]).toEqual([200, { totp_required: true }]);

    expect(await accountStatus({ token: owner.accessToken })).toBe(200);
    expect(await accountStatus({ key })).toBe(200);
    expect(await accountStatus({ token: member.accessToken })).toBe(403);
    expect((await requireTotp(member.accessToken, false)).status).toBe(403);
    const mail = { from: "a@sandbox.test", to: ["jane@example.test"], subject: "Hello", text: "Hi" };
    const send = { method: "POST", path: "/api/v1/send?mode=test", body: mail } as const;
    expect((await api.call({ ...send, token: member.accessToken })).status).toBe(403);
    expect((await logInWith(api, member)).status, "the user can still log in to enrol").toBe(200);

    const { secret } = (await post(api, member, "totp", { password: member.password })).json();
    await post(api, member, "totp/confirm", { totp_code: authenticatorApp(secret).code() });
    expect(await accountStatus({ token: member.accessToken })).toBe(200);
  });

  test("403 for a developer who changes the setting", async () => {
    const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps, { role: "developer" });
    expect((await requireTotp(accessToken, true)).status).toBe(403);
  });
});

function requireTotp(token: string, totp_required: boolean) {
  return api.call({ method: "PATCH", path: "/api/v1/account", token, body: { totp_required } });
}

async function accountStatus(credential: { token: string } | { key: string }): Promise<number> {
  return (await api.call({ method: "GET", path: "/api/v1/account", ...credential })).status;
}
