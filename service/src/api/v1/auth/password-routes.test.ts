import { beforeAll, describe, expect, test } from "vitest";
import { aLogin, anAccount, anApiKey } from "../../../../test/builders.ts";
import { issuerSettings } from "../../../../test/forging-issuer.ts";
import { change } from "../../../../test/send-rows.ts";
import { aSystemAccount, systemSender } from "../../../../test/system-mail-fixture.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { hashOfToken } from "../../../logins/mailed-token.ts";

const api = useTestApi();
const newPassword = "another password for tests";

let addresses = 0;
/** Each test has an address of its own, because the address is throttled too. */
const anAddress = () => `198.51.100.${++addresses}`;

interface PasswordChange {
  current_password: string;
  new_password: string;
}

function changeTo(token: string, body: Partial<PasswordChange>, remoteAddress = anAddress()) {
  return api.call({ method: "POST", path: "/api/v1/auth/password", token, body, remoteAddress });
}

function logIn(email: string, password: string) {
  const body = { email, password };
  return api.call({ method: "POST", path: "/api/v1/auth/login", body, remoteAddress: anAddress() });
}

const me = (token: string) => api.call({ method: "GET", path: "/api/v1/auth/me", token });

describe("POST /api/v1/auth/password returns 200", () => {
  test("and from then on only the new password logs in", async () => {
    const { accessToken, email, password } = await aLogin(api.database.db, api.deps.loginDeps);
    const response = await changeTo(accessToken, { current_password: password, new_password: newPassword });
    expect([response.status, response.json()]).toEqual([200, { success: true, ended: 0 }]);
    expect((await logIn(email, password)).status).toBe(401);
    expect((await logIn(email, newPassword)).status).toBe(200);
  });

  test("and ends all other sessions and reset links of the user, and not those of others", async () => {
    const [user, stranger] = [
      await aLogin(api.database.db, api.deps.loginDeps),
      await aLogin(api.database.db, api.deps.loginDeps),
    ];
    const others = await Promise.all([1, 2].map(async () => (await logIn(user.email, user.password)).json()));
    for (const { id } of [user, stranger]) {
      await change(
        api.database.db,
        "insert into password_resets (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')",
        [hashOfToken(id), id],
      );
    }
    const response = await changeTo(user.accessToken, { current_password: user.password, new_password: newPassword });
    expect(response.json().ended).toBe(2);
    for (const { access_token, refresh_token } of others) {
      expect((await me(access_token)).status).toBe(401);
      const refresh = { method: "POST", path: "/api/v1/auth/refresh", body: { refresh_token } } as const;
      expect((await api.call(refresh)).status).toBe(401);
    }
    for (const { accessToken } of [user, stranger]) expect((await me(accessToken)).status).toBe(200);
    const left = "select user_id from password_resets where user_id in ($1, $2)";
    expect(await change(api.database.db, left, [user.id, stranger.id])).toEqual([{ user_id: stranger.id }]);
  });

  test("and keeps a switched session together with the one it comes from", async () => {
    const user = await aLogin(api.database.db, api.deps.loginDeps);
    const accountId = await anAccount(api.database.db);
    const membership = "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')";
    await change(api.database.db, membership, [user.id, accountId]);
    const switching = { method: "POST", path: "/api/v1/auth/switch", body: { tenant_id: accountId } } as const;
    const switched = (await api.call({ ...switching, token: user.accessToken })).json().access_token;
    const body = { current_password: user.password, new_password: newPassword };
    expect((await changeTo(switched, body)).json()).toEqual({ success: true, ended: 0 });
    for (const token of [switched, user.accessToken]) expect((await me(token)).status).toBe(200);
  });
});

describe("POST /api/v1/auth/password returns 401", () => {
  test("for a wrong password, and changes nothing", async () => {
    const { accessToken, email, password } = await aLogin(api.database.db, api.deps.loginDeps);
    const response = await changeTo(accessToken, { current_password: "a guess", new_password: newPassword });
    expect([response.status, response.json().error.message]).toEqual([
      401,
      "This is not your password. Send the one you log in with.",
    ]);
    expect((await logIn(email, password)).status).toBe(200);
  });

  test("without a token and with an API key", async () => {
    const { accountId, password } = await aLogin(api.database.db, api.deps.loginDeps);
    const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId);
    const body = { current_password: password, new_password: newPassword };
    const request = { method: "POST", path: "/api/v1/auth/password", body } as const;
    expect((await api.call(request)).status).toBe(401);
    expect((await api.call({ ...request, key })).status).toBe(401);
  });

  test("for all but one of several changes at once, and only its password works", async () => {
    const user = await aLogin(api.database.db, api.deps.loginDeps);
    const other = (await logIn(user.email, user.password)).json().access_token;
    const tokens = [user.accessToken, other];
    const answers = await Promise.all(
      tokens.map((token, number) =>
        changeTo(token, { current_password: user.password, new_password: `${newPassword} ${number}` }),
      ),
    );
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect((await logIn(user.email, `${newPassword} ${winner}`)).status).toBe(200);
    expect((await logIn(user.email, `${newPassword} ${1 - winner}`)).status).toBe(401);
    expect((await me(tokens[winner] ?? "")).status).toBe(200);
    expect((await me(tokens[1 - winner] ?? "")).status).toBe(401);
  });
});

test.for([
  [{ current_password: "x", new_password: "short" }, "new_password"],
  [{ new_password: newPassword }, "current_password"],
  [{ current_password: "", new_password: newPassword }, "current_password"],
  [{ current_password: "x", new_password: "x".repeat(1025) }, "new_password"],
] as const)("POST /api/v1/auth/password returns 422 for %j, naming the field", async ([body, field]) => {
  const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
  const response = await changeTo(accessToken, body);
  expect(response.status).toBe(422);
  expect(response.json().error.details[0].field).toBe(field);
});

test("POST /api/v1/auth/password returns 429 after 5 wrong passwords, also for the right one and for a log-in", async () => {
  const { accessToken, email, password } = await aLogin(api.database.db, api.deps.loginDeps);
  const address = anAddress();
  for (let count = 0; count < 5; count++) {
    const guess = { current_password: `guess ${count}`, new_password: newPassword };
    expect((await changeTo(accessToken, guess, address)).status).toBe(401);
  }
  const right = await changeTo(accessToken, { current_password: password, new_password: newPassword }, address);
  expect([right.status, Number(right.headers["retry-after"]) > 0]).toEqual([429, true]);
  const body = { email, password };
  const login = await api.call({ method: "POST", path: "/api/v1/auth/login", body, remoteAddress: address });
  expect(login.status).toBe(429);
});

test("neither password is in the database or the log", async () => {
  const { accessToken, id, password } = await aLogin(api.database.db, api.deps.loginDeps);
  const secret = "a very secret password 7f3a";
  expect((await changeTo(accessToken, { current_password: password, new_password: secret })).status).toBe(200);
  const [row] = await change(api.database.db, "select users::text as row from users where id = $1", [id]);
  expect(JSON.stringify(row)).not.toContain(secret);
  expect(api.logLines.join("")).not.toContain(secret);
});

describe("GET /api/v1/auth/methods returns 200", () => {
  const path = "/api/v1/auth/methods";
  const mailing = useTestApi({
    SYSTEM_SENDER: systemSender,
    PUBLIC_URL: "https://mail.example.com",
    ...issuerSettings("https://issuer.example.com", "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f"),
  });
  beforeAll(() => aSystemAccount(mailing.database.db));

  test("with passwords only, where nothing else is set up, and without a credential", async () => {
    const { status, json } = await api.call({ method: "GET", path });
    expect([status, json()]).toEqual([200, { password: true, oidc: null, password_reset: false }]);
  });

  test("with the start of the log-in by OIDC and password resets, where they are set up", async () => {
    expect((await mailing.call({ method: "GET", path })).json()).toEqual({
      password: true,
      oidc: { start_path: "/api/v1/auth/oidc/start" },
      password_reset: true,
    });
  });
});
