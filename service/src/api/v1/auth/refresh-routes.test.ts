import { describe, expect, test } from "vitest";
import { aLogin } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { suspendAccount } from "../../../accounts/account-store.ts";
import { resetPassword } from "../../../logins/reset-password.ts";

const api = useTestApi();

describe("POST /api/v1/auth/refresh", () => {
  test("200 returns the next pair, and the previous access token of the login still works", async () => {
    const login = await aSession();
    await letSecondsPass(login.loginId, 90);
    const { status, json } = await refresh(login.refreshToken);
    expect(status).toBe(200);
    expect(json().refresh_token).not.toBe(login.refreshToken);
    expect([await statusOf(json().access_token), await statusOf(login.accessToken)]).toEqual([200, 200]);
  });

  test("the refresh token stays the same within 90 seconds after it was issued", async () => {
    const login = await aSession();
    await letSecondsPass(login.loginId, 80);
    const { json } = await refresh(login.refreshToken);
    expect(json().refresh_token).toBe(login.refreshToken);
    expect(json().access_token).not.toBe(login.accessToken);
  });

  test("a repeat within 30 seconds gets the current token, also after that one was used", async () => {
    const login = await aSession();
    await letSecondsPass(login.loginId, 100);
    const [one, other] = [await refresh(login.refreshToken), await refresh(login.refreshToken)];
    expect(one.json().refresh_token).toBe(other.json().refresh_token);
    await letSecondsPass(login.loginId, 29);
    await refresh(one.json().refresh_token);
    expect((await refresh(login.refreshToken)).json().refresh_token).toBe(one.json().refresh_token);
    await letSecondsPass(login.loginId, 31);
    expect((await refresh(one.json().refresh_token)).status).toBe(200);
  });

  test("reuse after 30 seconds returns 401 and ends the login with all its tokens", async () => {
    const login = await aSession();
    await letSecondsPass(login.loginId, 100);
    const next = (await refresh(login.refreshToken)).json();
    await letSecondsPass(login.loginId, 31);
    const { status, json } = await refresh(login.refreshToken);
    expect([status, json().error.message]).toEqual([401, expect.stringContaining("used before")]);
    expect(await statusOf(next.access_token)).toBe(401);
    expect((await refresh(next.refresh_token)).status).toBe(401);
  });

  test("reuse still ends the login after the used token was deleted", async () => {
    const login = await aSession();
    await letSecondsPass(login.loginId, 100);
    const second = (await refresh(login.refreshToken)).json();
    await letSecondsPass(login.loginId, 100);
    const third = (await refresh(second.refresh_token)).json();
    expect((await refresh(login.refreshToken)).status).toBe(401);
    expect(await statusOf(third.access_token)).toBe(401);
  });

  test("a thief who used the token within the 30 seconds loses the session when either side refreshes again", async () => {
    const login = await aSession();
    await letSecondsPass(login.loginId, 100);
    const own = (await refresh(login.refreshToken)).json();
    const stolen = (await refresh(login.refreshToken)).json();
    await letSecondsPass(login.loginId, 900);
    const thief = (await refresh(stolen.refresh_token)).json();
    await letSecondsPass(login.loginId, 31);
    expect((await refresh(own.refresh_token)).status).toBe(401);
    expect((await refresh(thief.refresh_token)).status).toBe(401);
    expect(await statusOf(thief.access_token)).toBe(401);
  });

  test("using a token ends the siblings that an earlier release issued, 30 seconds later", async () => {
    const login = await aSession();
    const sibling = api.deps.loginDeps.refreshTokens.newNonce();
    await api.database.db.query({
      name: "insert-sibling",
      text: "insert into refresh_tokens (login_id, nonce) values ($1, $2)",
      values: [login.loginId, sibling],
    });
    await letSecondsPass(login.loginId, 100);
    const next = (await refresh(login.refreshToken)).json();
    const text = api.deps.loginDeps.refreshTokens.write({ loginId: login.loginId, nonce: sibling });
    expect((await refresh(text)).json().refresh_token).toBe(next.refresh_token);
    await letSecondsPass(login.loginId, 31);
    expect((await refresh(text)).status).toBe(401);
    expect(await statusOf(next.access_token)).toBe(401);
  });

  test("sixty concurrent repeats all get the same token, and the login stays open with two tokens", async () => {
    const login = await aSession();
    await letSecondsPass(login.loginId, 100);
    const responses = await Promise.all(Array.from({ length: 60 }, () => refresh(login.refreshToken)));
    expect(responses.map(({ status }) => status)).toEqual(new Array(60).fill(200));
    expect(new Set(responses.map(({ json }) => json().refresh_token)).size).toBe(1);
    expect(await statusOf(login.accessToken)).toBe(200);
    const [row] = await api.database.db.query<{ tokens: number }>({
      name: "count-tokens",
      text: "select count(*) as tokens from refresh_tokens where login_id = $1",
      values: [login.loginId],
    });
    expect(row?.tokens).toBe(2);
  });

  test.for([
    ["garbage", "garbage"],
    ["an access token", "eyJhbGciOiJFZERTQSJ9.e30.AAAA"],
    ["the right length without our hash", `AA${"A".repeat(86)}`],
  ])("401 for %s", async ([, token = ""]) => {
    expect((await refresh(token)).status).toBe(401);
  });

  test("a refresh token with one changed character returns 401 and does not end the login", async () => {
    const login = await aSession();
    for (const position of [0, 2, 30, 60, 87]) {
      const letter = login.refreshToken[position] === "B" ? "C" : "B";
      const changed = login.refreshToken.slice(0, position) + letter + login.refreshToken.slice(position + 1);
      expect((await refresh(changed)).status).toBe(401);
    }
    expect((await refresh(login.refreshToken)).status).toBe(200);
  });

  test("401 after logout, after a password reset and while the account is suspended", async () => {
    const [loggedOut, reset, suspended] = [await aSession(), await aSession(), await aSession()];
    await api.call({ method: "POST", path: "/api/v1/auth/logout", token: loggedOut.accessToken });
    await resetPassword(api.database.db, reset.email);
    await suspendAccount(api.database.db, suspended.accountId);
    for (const login of [loggedOut, reset, suspended]) {
      expect((await refresh(login.refreshToken)).status).toBe(401);
      expect(await statusOf(login.accessToken)).toBe(401);
    }
  });

  test("401 once the login has expired", async () => {
    const login = await aSession();
    await api.database.db.query({
      name: "age-login",
      text: "update logins set expires_at = now() where id = $1",
      values: [login.loginId],
    });
    expect((await refresh(login.refreshToken)).status).toBe(401);
    expect(await statusOf(login.accessToken)).toBe(401);
  });
});

function aSession() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

function refresh(token: string) {
  return api.call({ method: "POST", path: "/api/v1/auth/refresh", body: { refresh_token: token } });
}

async function statusOf(token: string): Promise<number> {
  return (await api.call({ method: "GET", path: "/api/v1/api-keys", token })).status;
}

/** Moves the times of the login's refresh tokens into the past instead of waiting. */
async function letSecondsPass(loginId: string, seconds: number): Promise<void> {
  await api.database.db.query({
    name: "age-refresh-tokens",
    text: `
      update refresh_tokens
      set used_at = used_at - make_interval(secs => $2), issued_at = issued_at - make_interval(secs => $2)
      where login_id = $1`,
    values: [loginId, seconds],
  });
}
