import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aLogin, anAccount, aUser } from "../../../../test/builders.ts";
import { anOperatorLogin } from "../../../../test/operator-login.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { suspendAccount } from "../../../accounts/account-store.ts";
import { removeMember } from "../../../accounts/membership-store.ts";
import type { Role } from "../../../accounts/role.ts";
import { resetPassword } from "../../../logins/reset-password.ts";

const api = useTestApi();

test("GET /auth/me shows the user, the account and role of the token, and all accounts of the user", async () => {
  const { person, other } = await aPersonInTwoAccounts();
  const { status, json } = await me(person.accessToken);
  expect(status).toBe(200);
  expect(json()).toEqual({
    user_id: person.id,
    email: person.email,
    is_operator: false,
    log_in: { password: true, oidc: false, totp: false },
    tenant_id: person.accountId,
    role: "developer",
    memberships: [
      { tenant_id: person.accountId, name: "An account", role: "developer", suspended: false },
      { tenant_id: other, name: "An account", role: "viewer", suspended: false },
    ],
  });
});

test("GET /auth/me says whether the user is an operator and has two-factor authentication", async () => {
  const { accessToken } = await anOperatorLogin(api.database.db, api.deps.loginDeps);
  expect((await me(accessToken)).json()).toMatchObject({
    is_operator: true,
    log_in: { password: true, oidc: false, totp: true },
  });
});

test("a switch gives tokens for the other account with the role there, and the first login stays open", async () => {
  const { person, other } = await aPersonInTwoAccounts();
  const { status, json } = await switchTo(person.accessToken, other);
  expect(status).toBe(200);
  expect((await me(json().access_token)).json()).toMatchObject({ tenant_id: other, role: "viewer" });
  expect((await account(json().access_token)).json().tenant_id).toBe(other);
  expect((await account(person.accessToken)).json().tenant_id).toBe(person.accountId);
  const refreshed = await refresh(json().refresh_token);
  expect((await account(refreshed.json().access_token)).json().tenant_id).toBe(other);
});

test("a switch does not prolong a login", async () => {
  const { person, other } = await aPersonInTwoAccounts();
  await change(api.database.db, "update logins set expires_at = now() + interval '1 hour' where id = $1", [
    person.loginId,
  ]);
  await switchTo(person.accessToken, other);
  const ends = await change(
    api.database.db,
    "select distinct expires_at < now() + interval '61 minutes' as soon from logins where user_id = $1",
    [person.id],
  );
  expect(ends).toEqual([{ soon: true }]);
});

test("404 for an account of others and for an unknown one, with the same body; 401 for a suspended one", async () => {
  const { person, other } = await aPersonInTwoAccounts();
  const { accountId: foreign } = await aUser(api.database.db);
  const answers = await Promise.all([foreign, randomUUIDv7()].map((id) => switchTo(person.accessToken, id)));
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect(new Set(answers.map(({ json }) => json().error.message)).size).toBe(1);
  await suspendAccount(api.database.db, other);
  expect((await switchTo(person.accessToken, other)).status).toBe(401);
});

test("removing the person from an account ends the logins to it, and those that come from them", async () => {
  const [one, two] = [await aPersonInTwoAccounts(), await aPersonInTwoAccounts()];
  const [atOther, atSecond] = [
    await switchTo(one.person.accessToken, one.other),
    await switchTo(two.person.accessToken, two.other),
  ];
  await removeMember(api.database.db.forAccount(one.other), { userId: one.person.id });
  expect((await account(atOther.json().access_token)).status).toBe(401);
  expect((await account(one.person.accessToken)).status).toBe(200);
  await removeMember(api.database.db.forAccount(two.person.accountId), { userId: two.person.id });
  expect((await account(two.person.accessToken)).status).toBe(401);
  expect((await account(atSecond.json().access_token)).status).toBe(401);
});

test("no login that comes from a switch survives a password reset at the same time", async () => {
  for (let round = 0; round < 10; round++) {
    const { person, other } = await aPersonInTwoAccounts();
    await Promise.all([
      ...Array.from({ length: 6 }, () => switchTo(person.accessToken, other)),
      resetPassword(api.database.db, person.email),
      ...Array.from({ length: 6 }, () => switchTo(person.accessToken, other)),
    ]);
    expect(await change(api.database.db, "select id from logins where user_id = $1", [person.id])).toEqual([]);
  }
});

async function aPersonInTwoAccounts() {
  const { accountId } = await aUser(api.database.db);
  const person = await aLogin(api.database.db, api.deps.loginDeps, { accountId, role: "developer" });
  const other = await anAccount(api.database.db);
  await join(person.id, other, "viewer");
  return { person, other };
}

async function join(userId: string, accountId: string, role: Role): Promise<void> {
  await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, $3)", [
    userId,
    accountId,
    role,
  ]);
}

function me(token: string) {
  return api.call({ method: "GET", path: "/api/v1/auth/me", token });
}

function account(token: string) {
  return api.call({ method: "GET", path: "/api/v1/account", token });
}

function switchTo(token: string, accountId: string) {
  return api.call({ method: "POST", path: "/api/v1/auth/switch", token, body: { tenant_id: accountId } });
}

function refresh(token: string) {
  return api.call({ method: "POST", path: "/api/v1/auth/refresh", body: { refresh_token: token } });
}
