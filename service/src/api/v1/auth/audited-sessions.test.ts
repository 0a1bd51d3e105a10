import { expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { aUserOfTwoAccounts, browserClient, origin } from "../../../../test/browser-client.ts";
import { aUser } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { aSystemAccount, systemSender } from "../../../../test/system-mail-fixture.ts";
import { logInWith } from "../../../../test/totp-user.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi({ PUBLIC_URL: origin, SYSTEM_SENDER: systemSender });
const { logIn, logOut, switchTo } = browserClient(api);

/** After the creation of the account. */
const actionsIn = async (accountId: string) =>
  (await auditRows(api.database.db, accountId)).slice(1).map(({ action }) => action);

test("a browser log-in that replaces the session of another user leaves an entry in that account, without the name of the new user", async () => {
  const [user, other] = [await aUser(api.database.db), await aUser(api.database.db)];
  const first = await logIn(user);
  await logIn(other, first.cookie);
  expect(await actionsIn(other.accountId)).toEqual(["log-in"]);
  expect(await auditRows(api.database.db, user.accountId, "session.replace")).toMatchObject([
    {
      actor_kind: "anonymous",
      actor_name: null,
      target_name: user.email,
      before: { session_ids: [expect.any(String)] },
      address: expect.any(String),
      request_id: expect.any(String),
    },
  ]);
});

test("a log-out that ends two sessions of one account leaves one entry with both", async () => {
  const user = await aUser(api.database.db);
  const [tab, cookieOwner] = [await logIn(user), await logIn(user)];
  await logOut(tab.token, cookieOwner.cookie);
  const ended = { session_ids: [expect.any(String), expect.any(String)] };
  expect(await auditRows(api.database.db, user.accountId, "log-out")).toMatchObject([{ before: ended }]);
});

test("a browser that switches leaves an entry in both accounts, and one whose cookie was stolen only the end of the session", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const { token, cookie } = await logIn(user);
  await change(api.database.db, "update refresh_tokens set used_at = now() - interval '1 hour' where true");
  expect((await switchTo(other, token, cookie)).status).toBe(401);
  expect([await actionsIn(user.accountId), await actionsIn(other)]).toEqual([["log-in", "session.end-stolen"], []]);
  const again = await logIn(user);
  expect((await switchTo(other, again.token, again.cookie)).status).toBe(200);
  expect((await actionsIn(user.accountId)).slice(2)).toEqual(["log-in", "session.replace"]);
  expect(await auditRows(api.database.db, other, "account.switch")).toMatchObject([
    { actor_name: user.email, before: null },
  ]);
});

test("a log-out leaves an entry in the account of a session that came from it by a switch and ends with it", async () => {
  const { user, other } = await aUserOfTwoAccounts(api);
  const { json } = await logInWith(api, user);
  const { access_token: token } = json();
  const body = { tenant_id: other };
  const switched = await api.call({ method: "POST", path: "/api/v1/auth/switch", token, body });
  expect(switched.status).toBe(200);
  expect((await api.call({ method: "POST", path: "/api/v1/auth/logout", token })).status).toBe(200);
  const me = await api.call({ method: "GET", path: "/api/v1/auth/me", token: switched.json().access_token });
  expect(me.status).toBe(401);
  expect([await actionsIn(user.accountId), await actionsIn(other)]).toEqual([
    ["log-in", "log-out"],
    ["account.switch", "log-out"],
  ]);
});

test("a person without any account has no audit: a wrong password is 401, and a reset is mailed", async () => {
  const { db } = api.database;
  await aSystemAccount(db);
  const { accountId } = await aUser(db);
  const former = await aUser(db, { accountId, role: "viewer" });
  await change(db, "delete from memberships where user_id = $1", [former.id]);
  expect((await logInWith(api, { ...former, password: "wrong" })).status).toBe(401);
  const body = { email: former.email };
  expect((await api.call({ method: "POST", path: "/api/v1/auth/password-reset", body })).status).toBe(202);
  const resets = () => change(db, "select from password_resets where user_id = $1", [former.id]);
  await expect.poll(resets).toHaveLength(1);
  expect(await change(db, "select from audit_entries where target_id = $1", [former.id])).toEqual([]);
});
