import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aLogin, anAccount, aUser } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { changeRole, removeMember } from "./membership-store.ts";
import type { Role } from "./role.ts";

/** Processes of the release before run on this schema. They know no roles and take the account of a login from users.account_id. */
const api = useTestApi();
const loginOfOlderRelease = `
  select users.account_id
  from logins
  join users on users.id = logins.user_id
  join accounts on accounts.id = users.account_id
  where logins.user_id = $1`;
const userOfOlderRelease = `
  select users.account_id
  from users
  join accounts on accounts.id = users.account_id
  where users.id = $1`;

test("the older release finds an owner, and a user that it creates becomes one", async () => {
  const owner = await aLogin(api.database.db, api.deps.loginDeps);
  expect(await accountsAtOlderRelease(owner.id)).toEqual([owner.accountId, owner.accountId]);
  const id = randomUUIDv7();
  const insert = "insert into users (id, account_id, email, password_hash) values ($1, $2, $3, 'x')";
  await change(api.database.db, insert, [id, owner.accountId, `${id}@example.com`]);
  expect(await change(api.database.db, "select role from memberships where user_id = $1", [id])).toEqual([
    { role: "owner" },
  ]);
});

test.for(["viewer", "developer"] as const)(
  "the older release, which knows no roles, finds neither user nor login of a %s",
  async (role) => {
    const { accountId } = await aUser(api.database.db);
    const member = await aLogin(api.database.db, api.deps.loginDeps, { accountId, role });
    expect(await accountsAtOlderRelease(member.id)).toEqual([]);
    const demoted = await aLogin(api.database.db, api.deps.loginDeps, { accountId });
    await changeRole(api.database.db.forAccount(accountId), { userId: demoted.id, role });
    expect(await accountsAtOlderRelease(demoted.id)).toEqual([]);
  },
);

test("the older release gives a member who was removed from the home account no access to it by a login for another account", async () => {
  const { accountId } = await aUser(api.database.db);
  const member = await aLogin(api.database.db, api.deps.loginDeps, { accountId });
  await alsoMemberOf(await anAccount(api.database.db), member, "viewer");
  await removeMember(api.database.db.forAccount(accountId), { userId: member.id });
  expect(await change(api.database.db, "select from logins where user_id = $1", [member.id])).toHaveLength(1);
  expect(await accountsAtOlderRelease(member.id)).toEqual([]);
});

/** A membership, and a login for it. */
async function alsoMemberOf(accountId: string, user: { id: string }, role: Role): Promise<void> {
  const values = [user.id, accountId, role];
  await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, $3)", values);
  const insert =
    "insert into logins (id, user_id, account_id, expires_at) values ($3, $1, $2, now() + interval '1 day')";
  await change(api.database.db, insert, [user.id, accountId, randomUUIDv7()]);
}

async function accountsAtOlderRelease(userId: string): Promise<unknown[]> {
  const logins = await change(api.database.db, loginOfOlderRelease, [userId]);
  const users = await change(api.database.db, userOfOlderRelease, [userId]);
  return [...logins, ...users].map((row) => row.account_id);
}
