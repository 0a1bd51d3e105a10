import { expect, test } from "vitest";
import { aUserOfTwoAccounts, browserClient, origin } from "../../../../test/browser-client.ts";
import { change } from "../../../../test/send-rows.ts";
import { logInWith } from "../../../../test/totp-user.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi({ PUBLIC_URL: origin });
const { logIn, refresh, logOut, switchTo, switchInBody, refreshInBody, isOpen } = browserClient(api);

test("the access token of a browser session gives no refresh token in a body, and no cookie without its own cookie", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const [session, stranger] = [await logIn(user), await logIn(user)];
  const thefts = [
    await switchInBody(other, session.token),
    await switchTo(other, session.token),
    await switchTo(other, session.token, stranger.cookie),
  ];
  expect(thefts.map(({ status, setCookie }) => [status, setCookie])).toEqual(new Array(3).fill([401, undefined]));
  expect(await isOpen(session.token)).toBe(true);
});

test("409 for a switch to the account of the token", async () => {
  const { user } = await aUserOfTwoAccounts(api);
  const session = await logIn(user);
  const { access_token } = (await logInWith(api, user)).json();
  expect((await switchTo(user.accountId, session.token, session.cookie)).status).toBe(409);
  expect((await switchInBody(user.accountId.toUpperCase(), access_token)).status).toBe(409);
});

test("a login that comes from a switch ends with the login it comes from: by log-out", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const first = (await logInWith(api, user)).json();
  const stolen = (await switchInBody(other, first.access_token)).json;
  await logOut(first.access_token, "");
  expect(await isOpen(stolen.access_token)).toBe(false);
  expect((await refreshInBody(stolen.refresh_token)).status).toBe(401);
});

test("a login that comes from a switch ends with the login it comes from: by reuse of a refresh token", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const first = (await logInWith(api, user)).json();
  const stolen = (await switchInBody(other, first.access_token)).json;
  await letTokensAge(100);
  await refreshInBody(first.refresh_token);
  await letTokensAge(60);
  await refreshInBody(first.refresh_token);
  expect(await isOpen(stolen.access_token)).toBe(false);
});

test("a login that comes from a switch starts no further login", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const first = (await logInWith(api, user)).json();
  const second = await switchInBody(other, first.access_token);
  expect((await switchInBody(user.accountId, second.token)).status).toBe(409);
});

test("a browser switches there and back with its cookie, and has one open session", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const first = await logIn(user);
  const second = await switchTo(other, first.token, first.cookie);
  const third = await switchTo(user.accountId, second.token, second.cookie);
  expect([second.status, third.status]).toEqual([200, 200]);
  expect([await isOpen(first.token), await isOpen(second.token), await isOpen(third.token)]).toEqual([
    false,
    false,
    true,
  ]);
  expect((await refresh(third.cookie)).status).toBe(200);
});

test("a switch with a replaced cookie counts as theft and ends the session", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const session = await logIn(user);
  await letTokensAge(100);
  await refresh(session.cookie);
  await letTokensAge(60);
  expect((await switchTo(other, session.token, session.cookie)).status).toBe(401);
  expect(await isOpen(session.token)).toBe(false);
});

test("ending all other sessions keeps the session of the request, which comes from a switch", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const [first, unrelated] = [(await logInWith(api, user)).json(), (await logInWith(api, user)).json()];
  const second = await switchInBody(other, first.access_token);
  await api.call({ method: "DELETE", path: "/api/v1/auth/sessions", token: second.token });
  expect([await isOpen(second.token), await isOpen(unrelated.access_token)]).toEqual([true, false]);
});

async function letTokensAge(seconds: number): Promise<void> {
  await change(
    api.database.db,
    "update refresh_tokens set issued_at = issued_at - make_interval(secs => $1), used_at = used_at - make_interval(secs => $1)",
    [seconds],
  );
}
