import { randomUUIDv7 } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anAccount, aUser } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { changeRole, listMembers, listMemberships, removeMember } from "./membership-store.ts";
import { findUserByEmail } from "./user-store.ts";

const api = useTestApi();

describe("an account keeps an owner", () => {
  test("the last owner can be neither removed nor demoted", async () => {
    const { db, owner } = await anAccountWithOwner();
    await aUser(api.database.db, { accountId: db.accountId, role: "developer" });
    await expect(removeMember(db, { userId: owner })).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(changeRole(db, { userId: owner, role: "developer" })).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await listMembers(db)).map(({ role }) => role)).toEqual(["owner", "developer"]);
  });

  test("an owner can be removed or demoted while another one remains", async () => {
    const { db, owner } = await anAccountWithOwner();
    const [second, third] = [await anotherOwner(db.accountId), await anotherOwner(db.accountId)];
    expect(await changeRole(db, { userId: owner, role: "viewer" })).toMatchObject({ userId: owner, role: "viewer" });
    expect(await removeMember(db, { userId: second })).toBe(true);
    expect((await listMembers(db)).map(({ userId }) => userId)).toEqual([owner, third]);
  });

  test("of owners who remove or demote each other at the same time, one stays, 40 times out of 40", async () => {
    for (let round = 0; round < 40; round++) {
      const { db, owner } = await anAccountWithOwner();
      const owners = [owner, await anotherOwner(db.accountId), await anotherOwner(db.accountId)];
      const changes = owners.map((userId, position) =>
        (round + position) % 2 === 0 ? removeMember(db, { userId }) : changeRole(db, { userId, role: "developer" }),
      );
      const outcomes = await Promise.allSettled(changes);
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
      const left = await listMembers(db);
      expect(left.filter(({ role }) => role === "owner")).toHaveLength(1);
    }
  });

  test("of two owners who remove each other at the same time, one does and the other is no longer an owner", async () => {
    for (let round = 0; round < 20; round++) {
      const { db, owner } = await anAccountWithOwner();
      const other = await anotherOwner(db.accountId);
      const outcomes = await Promise.allSettled([
        removeMember(db, { userId: owner, by: other }),
        removeMember(db, { userId: other, by: owner }),
      ]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "FORBIDDEN" } });
      expect(await listMembers(db)).toHaveLength(1);
    }
  });

  test("a deletion of the whole account is not held up by its owner", async () => {
    const accountId = await anAccount(api.database.db);
    const { id: home } = { id: await anAccount(api.database.db) };
    const user = await aUser(api.database.db, { accountId: home });
    await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, 'owner')", [
      user.id,
      accountId,
    ]);
    await change(api.database.db, "delete from accounts where id = $1", [accountId]);
    expect(await listMemberships(api.database.db, user.id)).toMatchObject([{ accountId: home }]);
  });
});

describe("removing a member", () => {
  test("ends the logins of the member in this account in the same commit, and no other login", async () => {
    const { db } = await anAccountWithOwner();
    const member = await aLogin(api.database.db, api.deps.loginDeps, { accountId: db.accountId, role: "developer" });
    const colleague = await aLogin(api.database.db, api.deps.loginDeps, { accountId: db.accountId });
    expect((await whoAmI(member.accessToken)).status).toBe(200);
    expect(await removeMember(db, { userId: member.id })).toBe(true);
    expect((await whoAmI(member.accessToken)).status).toBe(401);
    expect((await whoAmI(colleague.accessToken)).status).toBe(200);
    const refreshed = await api.call({
      method: "POST",
      path: "/api/v1/auth/refresh",
      body: { refresh_token: member.refreshToken },
    });
    expect(refreshed.status).toBe(401);
  });

  test("leaves no login behind when the person logs in at the same time", async () => {
    for (let round = 0; round < 20; round++) {
      const { db } = await anAccountWithOwner();
      const member = await aUser(api.database.db, { accountId: db.accountId, role: "viewer" });
      await Promise.allSettled([aLoginOf(member), removeMember(db, { userId: member.id }), aLoginOf(member)]);
      expect(await change(api.database.db, "select id from logins where user_id = $1", [member.id])).toEqual([]);
    }
  });

  test("of another account or an unknown user changes nothing", async () => {
    const [mine, other] = [await anAccountWithOwner(), await anAccountWithOwner()];
    await anotherOwner(other.db.accountId);
    expect(await removeMember(mine.db, { userId: other.owner })).toBe(false);
    expect(await changeRole(mine.db, { userId: other.owner, role: "viewer" })).toBeUndefined();
    expect(await removeMember(mine.db, { userId: randomUUIDv7() })).toBe(false);
    expect(await listMembers(other.db)).toHaveLength(2);
  });
});

describe("code of the version before", () => {
  test("creates users who become owners of their account, and logins for it", async () => {
    const accountId = await anAccount(api.database.db);
    const [userId, loginId, email] = [randomUUIDv7(), randomUUIDv7(), `old-${randomUUIDv7()}@example.com`];
    await change(api.database.db, "insert into users (id, account_id, email, password_hash) values ($1, $2, $3, '')", [
      userId,
      accountId,
      email,
    ]);
    await change(api.database.db, "insert into logins (id, user_id, expires_at) values ($1, $2, now())", [
      loginId,
      userId,
    ]);
    expect(await listMemberships(api.database.db, userId)).toMatchObject([{ accountId, role: "owner" }]);
    expect(await change(api.database.db, "select account_id from logins where id = $1", [loginId])).toEqual([
      { account_id: accountId },
    ]);
  });
});

test("a log-in opens the home account, or the oldest other membership after the person has left it or it is suspended", async () => {
  const { db } = await anAccountWithOwner();
  const member = await aUser(api.database.db, { accountId: db.accountId, role: "developer" });
  const [second, third] = [await anAccount(api.database.db), await anAccount(api.database.db)];
  for (const accountId of [second, third])
    await change(api.database.db, "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')", [
      member.id,
      accountId,
    ]);
  const opened = async () => (await findUserByEmail(api.database.db, member.email))?.accountId;
  expect(await opened()).toBe(db.accountId);
  await change(api.database.db, "update accounts set suspended_at = now() where id = $1", [db.accountId]);
  expect(await opened()).toBe(second);
  await removeMember(db, { userId: member.id });
  await removeMember(api.database.db.forAccount(second), { userId: member.id });
  expect(await opened()).toBe(third);
  await removeMember(api.database.db.forAccount(third), { userId: member.id });
  expect(await opened()).toBeNull();
  const { status, json } = await logIn(member);
  expect([status, json().error.message]).toEqual([401, expect.stringContaining("not a member of any account")]);
});

async function anAccountWithOwner() {
  const { id: owner, accountId } = await aUser(api.database.db);
  return { db: api.database.db.forAccount(accountId), owner };
}

async function anotherOwner(accountId: string): Promise<string> {
  return (await aUser(api.database.db, { accountId })).id;
}

function whoAmI(token: string) {
  return api.call({ method: "GET", path: "/api/v1/account", token });
}

function logIn({ email, password }: { email: string; password: string }) {
  return api.call({ method: "POST", path: "/api/v1/auth/login", body: { email, password } });
}

/** Without the password check, to run close to the removal. */
async function aLoginOf({ id, accountId }: { id: string; accountId: string }): Promise<void> {
  await change(
    api.database.db,
    `insert into logins (id, user_id, account_id, expires_at) values (gen_random_uuid(), $1, $2, now() + interval '1 day')`,
    [id, accountId],
  );
}
