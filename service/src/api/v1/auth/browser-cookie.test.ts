import { expect, test } from "vitest";
import { aUserOfTwoAccounts, browserClient, origin } from "../../../../test/browser-client.ts";
import { aUser } from "../../../../test/builders.ts";
import { logInWith } from "../../../../test/totp-user.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi({ PUBLIC_URL: origin });
const { logIn, refresh, logOut, switchTo, isOpen } = browserClient(api);

test("a log-out also ends the session of the cookie that it deletes", async () => {
  const user = await aUser(api.database.db);
  const [tab, cookieOwner] = [await logIn(user), await logIn(user)];
  expect((await logOut(tab.token, cookieOwner.cookie)).status).toBe(200);
  expect([await isOpen(tab.token), await isOpen(cookieOwner.token)]).toEqual([false, false]);
});

test("a log-out leaves the session of another user open, whose cookie it deletes", async () => {
  const [tab, stranger] = [await logIn(await aUser(api.database.db)), await logIn(await aUser(api.database.db))];
  await logOut(tab.token, stranger.cookie);
  expect([await isOpen(tab.token), await isOpen(stranger.token)]).toEqual([false, true]);
});

test("a log-in of the browser ends the session of the cookie that it replaces, also that of another user", async () => {
  const [user, other] = [await aUser(api.database.db), await aUser(api.database.db)];
  const first = await logIn(user);
  const second = await logIn(user, first.cookie);
  const third = await logIn(other, second.cookie);
  expect([await isOpen(first.token), await isOpen(second.token), await isOpen(third.token)]).toEqual([
    false,
    false,
    true,
  ]);
});

test("a failed log-in leaves the session of the cookie open", async () => {
  const user = await aUser(api.database.db);
  const first = await logIn(user);
  expect((await logIn({ ...user, password: "wrong" }, first.cookie)).status).toBe(401);
  expect(await isOpen(first.token)).toBe(true);
});

test("a switch with the token of another login ends the session of the cookie that it replaces", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const earlier = await logIn(user);
  const { access_token } = (await logInWith(api, user)).json();
  const switched = await switchTo(other, access_token, earlier.cookie);
  expect([switched.status, await isOpen(earlier.token), await isOpen(switched.token)]).toEqual([200, false, true]);
});

test("a refresh that expects another session than that of the cookie gets 409, and both stay open", async () => {
  const user = await aUser(api.database.db);
  const [one, other] = [await logIn(user), await logIn(user)];
  const refused = await refresh(other.cookie, { session_id: sessionOf(one.token) });
  expect([refused.status, refused.setCookie]).toEqual([409, undefined]);
  expect([await isOpen(one.token), await isOpen(other.token)]).toEqual([true, true]);
  expect((await refresh(other.cookie, { session_id: sessionOf(other.token).toUpperCase() })).status).toBe(200);
});

function sessionOf(accessToken: string): string {
  return JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString()).sid;
}
