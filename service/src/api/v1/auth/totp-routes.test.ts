import { describe, expect, test } from "vitest";
import { authenticatorApp } from "../../../../test/authenticator-app.ts";
import { aLogin } from "../../../../test/builders.ts";
import { aTotpUser, logInWith, post } from "../../../../test/totp-user.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();

describe("POST /api/v1/auth/totp", () => {
  test("200 shows a secret once, and TOTP is off until a code confirms it", async () => {
    const login = await aUserLogin();
    const { status, json } = await post(api, login, "totp", { password: login.password });
    expect(status).toBe(200);
    expect(json()).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauth_uri: expect.stringMatching(/^otpauth:\/\/totp\/Postern:/),
    });
    expect(await stateOf(login)).toEqual({ enabled: false, enabled_at: null, required: false, recovery_codes_left: 0 });
    expect((await logInWith(api, login)).status).toBe(200);
  });

  test("401 for a wrong password, and 409 when TOTP is on", async () => {
    const user = await aTotpUser(api);
    const wrong = await post(api, await aUserLogin(), "totp", { password: "wrong" });
    expect([wrong.status, wrong.json().error.message]).toEqual([401, expect.stringContaining("not your password")]);
    expect((await post(api, user, "totp", { password: user.password })).status).toBe(409);
  });

  test("the database holds neither the secret nor a recovery code", async () => {
    const login = await aUserLogin();
    const { secret } = (await post(api, login, "totp", { password: login.password })).json();
    const { json } = await post(api, login, "totp/confirm", { totp_code: authenticatorApp(secret).code() });
    const rows = await api.database.db.query<{ text: string }>({
      name: "all-of-user",
      text: "select u::text as text from users u where id = $1 union all select r::text from recovery_codes r",
      values: [login.id],
    });
    const stored = rows.map(({ text }) => text).join("\n");
    const bytes = Buffer.from(secret).toString("hex");
    for (const text of [secret, bytes, ...json().recovery_codes]) expect(stored).not.toContain(text);
    expect(stored).toContain(Buffer.from("totp").toString("hex"));
  });
});

describe("POST /api/v1/auth/totp/confirm", () => {
  test("200 turns TOTP on, returns ten recovery codes and ends the user's other sessions", async () => {
    const login = await aUserLogin();
    const other = (await logInWith(api, login)).json().access_token;
    const { secret } = (await post(api, login, "totp", { password: login.password })).json();
    const { status, json } = await post(api, login, "totp/confirm", { totp_code: authenticatorApp(secret).code() });
    expect([status, json().recovery_codes.length]).toEqual([200, 10]);
    expect(await stateOf(login)).toMatchObject({ enabled: true, recovery_codes_left: 10 });
    expect((await api.call({ method: "GET", path: "/api/v1/auth/totp", token: other })).status).toBe(401);
  });

  test("401 for a wrong code, and 409 without an enrolment or with TOTP on", async () => {
    const login = await aUserLogin();
    expect((await post(api, login, "totp/confirm", { totp_code: "123456" })).status).toBe(409);
    const { secret } = (await post(api, login, "totp", { password: login.password })).json();
    const wrong = authenticatorApp(secret).code(50);
    expect((await post(api, login, "totp/confirm", { totp_code: wrong })).status).toBe(401);
    const user = await aTotpUser(api);
    expect((await post(api, user, "totp/confirm", { totp_code: user.app.code() })).status).toBe(409);
  });

  test("of two confirmations at once one wins, so the user has exactly its recovery codes", async () => {
    const login = await aUserLogin();
    const { secret } = (await post(api, login, "totp", { password: login.password })).json();
    const body = { totp_code: authenticatorApp(secret).code() };
    const answers = await Promise.all([1, 2, 3].map(() => post(api, login, "totp/confirm", body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await stateOf(login)).toMatchObject({ recovery_codes_left: 10 });
  });
});

describe("POST /api/v1/auth/totp/disable", () => {
  test("200 with password and code: the next log-in needs no code", async () => {
    const user = await aTotpUser(api);
    const body = { password: user.password, totp_code: user.app.code(1) };
    expect((await post(api, user, "totp/disable", body)).status).toBe(200);
    expect(await stateOf(user)).toMatchObject({ enabled: false, recovery_codes_left: 0 });
    expect((await logInWith(api, user)).status).toBe(200);
    expect((await post(api, user, "totp/disable", body)).status).toBe(409);
  });

  test("200 with a recovery code; 401 without a code, with a wrong or used one, or with a wrong password", async () => {
    const user = await aTotpUser(api);
    const [recovery_code = ""] = user.recoveryCodes;
    const { password } = user;
    for (const body of [
      { password },
      { password, totp_code: user.app.code(-1) },
      { password, recovery_code: "abcde" },
      { password: "wrong", recovery_code },
    ]) {
      expect((await post(api, user, "totp/disable", body)).status).toBe(401);
    }
    expect(await stateOf(user)).toMatchObject({ enabled: true, recovery_codes_left: 10 });
    expect((await post(api, user, "totp/disable", { password, recovery_code })).status).toBe(200);
  });
});

test("POST /api/v1/auth/totp/recovery-codes replaces all codes, and the old ones stop working", async () => {
  const user = await aTotpUser(api);
  const { status, json } = await post(api, user, "totp/recovery-codes", { totp_code: user.app.code(1) });
  expect([status, json().recovery_codes.length]).toEqual([200, 10]);
  expect((await logInWith(api, user, { recovery_code: user.recoveryCodes[0] })).status).toBe(401);
  expect((await logInWith(api, user, { recovery_code: json().recovery_codes[0] })).status).toBe(200);
  expect((await post(api, await aUserLogin(), "totp/recovery-codes", { totp_code: "123456" })).status).toBe(409);
});

function aUserLogin() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

async function stateOf({ accessToken }: { accessToken: string }) {
  return (await api.call({ method: "GET", path: "/api/v1/auth/totp", token: accessToken })).json();
}
