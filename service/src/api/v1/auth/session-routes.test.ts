import { describe, expect, test } from "vitest";
import { aLogin, aUser } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();
const path = "/api/v1/auth/sessions";

describe("GET /api/v1/auth/sessions", () => {
  test("200 lists the user's own sessions with device, address and times, and marks the current one", async () => {
    const user = await aUser(api.database.db);
    const one = await logIn(user, "Firefox\u009b on\tLinux", "203.0.113.7");
    const other = await logIn(user, "curl/8.5", "2001:db8::7");
    await aLogin(api.database.db, api.deps.loginDeps, { accountId: user.accountId });
    const { status, json } = await api.call({ method: "GET", path, token: one });
    expect(status).toBe(200);
    const time = expect.stringMatching(/^2.*Z$/);
    const times = { created_at: time, last_used_at: time, expires_at: time };
    expect(json().sessions).toEqual([
      { id: expect.any(String), current: false, device: "curl/8.5", address: "2001:db8::7", ...times },
      { id: expect.any(String), current: true, device: "Firefox on Linux", address: "203.0.113.7", ...times },
    ]);
    expect((await api.call({ method: "GET", path, token: other })).json().sessions).toHaveLength(2);
  });

  test("a refresh updates device, address and last use, at most once in 90 seconds", async () => {
    const login = await aLogin(api.database.db, api.deps.loginDeps);
    await age(login.loginId, 50);
    const before = await onlySession(login.accessToken);
    await refresh(login.refreshToken);
    expect(await onlySession(login.accessToken)).toEqual(before);
    await age(login.loginId, 50);
    await refresh(login.refreshToken);
    const after = await onlySession(login.accessToken);
    expect(after).toMatchObject({ device: "another device", address: "198.51.100.9" });
    expect(Date.parse(after.last_used_at) - Date.parse(before.last_used_at)).toBeGreaterThan(40_000);
  });

  test("401 with an API key", async () => {
    expect((await api.call({ method: "GET", path, key: "postern_live_x" })).status).toBe(401);
  });
});

describe("DELETE /api/v1/auth/sessions/:id", () => {
  test("200 ends the session at once, with its access token and its refresh token", async () => {
    const [own, lost] = await twoLogins();
    const { status } = await api.call({ method: "DELETE", path: `${path}/${lost.id}`, token: own.token });
    expect(status).toBe(200);
    expect((await api.call({ method: "GET", path, token: lost.token })).status).toBe(401);
    expect((await api.call({ method: "GET", path, token: own.token })).json().sessions).toHaveLength(1);
  });

  test("404 for an unknown id, an ended session, and a session of another user of the account", async () => {
    const own = await aLogin(api.database.db, api.deps.loginDeps);
    const colleague = await aLogin(api.database.db, api.deps.loginDeps, { accountId: own.accountId });
    for (const id of ["1", "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", colleague.loginId]) {
      const { status } = await api.call({ method: "DELETE", path: `${path}/${id}`, token: own.accessToken });
      expect(status).toBe(404);
    }
    expect((await api.call({ method: "GET", path, token: colleague.accessToken })).status).toBe(200);
  });
});

describe("DELETE /api/v1/auth/sessions", () => {
  test("200 ends all other sessions of the user and no session of a colleague", async () => {
    const [own, one, other] = await twoLogins(3);
    const colleague = await aLogin(api.database.db, api.deps.loginDeps, { accountId: own.accountId });
    const { status, json } = await api.call({ method: "DELETE", path, token: own.token });
    expect([status, json()]).toEqual([200, { success: true, ended: 2 }]);
    const statuses = [own.token, one.token, other?.token ?? "", colleague.accessToken].map(
      async (token) => (await api.call({ method: "GET", path, token })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 401, 401, 200]);
  });
});

interface OwnLogin {
  token: string;
  id: string;
  accountId: string;
}

async function twoLogins(count = 2): Promise<[OwnLogin, OwnLogin, ...OwnLogin[]]> {
  const user = await aUser(api.database.db);
  const open = async (): Promise<OwnLogin> => {
    const token = await logIn(user, "a device", "203.0.113.8");
    const { sessions } = (await api.call({ method: "GET", path, token })).json();
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    return { token, id, accountId: user.accountId };
  };
  const further = [];
  const first: [OwnLogin, OwnLogin] = [await open(), await open()];
  for (let made = 2; made < count; made++) further.push(await open());
  return [...first, ...further];
}

async function logIn({ email, password }: { email: string; password: string }, device: string, from: string) {
  const { json } = await api.call({
    method: "POST",
    path: "/api/v1/auth/login",
    body: { email, password },
    headers: { "user-agent": device },
    remoteAddress: from,
  });
  return json().access_token as string;
}

async function onlySession(token: string) {
  const { sessions } = (await api.call({ method: "GET", path, token })).json();
  expect(sessions).toHaveLength(1);
  return sessions[0];
}

function refresh(token: string) {
  return api.call({
    method: "POST",
    path: "/api/v1/auth/refresh",
    body: { refresh_token: token },
    headers: { "user-agent": "another device" },
    remoteAddress: "198.51.100.9",
  });
}

async function age(loginId: string, seconds: number): Promise<void> {
  await api.database.db.query({
    name: "age-login-and-tokens",
    text: `
      with login as (
        update logins set last_used_at = last_used_at - make_interval(secs => $2) where id = $1
      )
      update refresh_tokens set issued_at = issued_at - make_interval(secs => $2) where login_id = $1`,
    values: [loginId, seconds],
  });
}
