import { describe, expect, test } from "vitest";
import { aLogin, aUser } from "../../test/builders.ts";
import { turnTotpOn } from "../../test/operator-login.ts";
import { change } from "../../test/send-rows.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { changeRole, removeMember } from "./membership-store.ts";
import { listOperators, setOperator } from "./operator-store.ts";

const api = useTestApi();

describe("an owner of an account", () => {
  test("can neither demote nor remove an operator, whose logins stay open", async () => {
    const { owner, operator, db } = await anAccountWithOperator();
    const path = `/api/v1/members/${operator.id}`;
    const demoted = await api.call({ method: "PATCH", path, token: owner.accessToken, body: { role: "viewer" } });
    const removed = await api.call({ method: "DELETE", path, token: owner.accessToken });
    for (const { status, json } of [demoted, removed]) {
      expect([status, json().error.code]).toEqual([403, "FORBIDDEN"]);
      expect(json().error.message).toMatch(/operator of the installation.*command line/);
    }
    const account = await api.call({ method: "GET", path: "/api/v1/account", token: operator.accessToken });
    expect(account.status).toBe(200);
    await expect(removeMember(db, { userId: operator.id, by: owner.id })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("can do both once the flag is taken", async () => {
    const { owner, operator, db } = await anAccountWithOperator();
    await setOperator(api.database.db, operator.email, false);
    expect(await changeRole(db, { userId: operator.id, by: owner.id, role: "viewer" })).toMatchObject({
      role: "viewer",
    });
    expect(await removeMember(db, { userId: operator.id, by: owner.id })).toBe(true);
  });
});

test("the command line demotes and removes an operator, and an operator who is an owner leaves the account alone", async () => {
  const { operator, db } = await anAccountWithOperator();
  expect(await changeRole(db, { userId: operator.id, role: "viewer" })).toMatchObject({ role: "viewer" });
  await changeRole(db, { userId: operator.id, role: "owner" });
  expect(await removeMember(db, { userId: operator.id, by: operator.id })).toBe(true);
  const other = await anAccountWithOperator();
  expect(await removeMember(other.db, { userId: other.operator.id })).toBe(true);
});

describe("a flag that is given while an owner removes or demotes the member", () => {
  test.for(["remove", "demote"] as const)("wins when it is given first: %s", async (kind) => {
    const { owner, operator, db } = await anAccountWithOperator({ isOperator: false });
    const by = { userId: operator.id, by: owner.id };
    let ended: Promise<unknown> | undefined;
    await api.database.db.withTransaction(async (tx) => {
      await setOperator(tx, operator.email, true);
      ended = (kind === "remove" ? removeMember(db, by) : changeRole(db, { ...by, role: "viewer" })).catch(
        (error: { code: string }) => error.code,
      );
      expect(await isWaiting(ended)).toBe(true);
    });
    expect(await ended).toBe("FORBIDDEN");
    const rows = await change(api.database.db, "select role from memberships where user_id = $1", [operator.id]);
    expect(rows).toEqual([{ role: "owner" }]);
  });

  test("comes too late after the removal: the person is an operator without this membership", async () => {
    const { owner, operator, db } = await anAccountWithOperator({ isOperator: false });
    await Promise.all([
      removeMember(db, { userId: operator.id, by: owner.id }),
      new Promise((resolve) => setTimeout(resolve, 100)).then(() => setOperator(api.database.db, operator.email, true)),
    ]);
    const rows = await change(api.database.db, "select from memberships where user_id = $1", [operator.id]);
    expect(rows).toEqual([]);
    expect((await listOperators(api.database.db)).map(({ userId }) => userId)).toContain(operator.id);
  });
});

/** Whether it still waits after half a second. */
async function isWaiting(work: Promise<unknown>): Promise<boolean> {
  const waits = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 500));
  return Promise.race([work.then(() => false), waits]);
}

async function anAccountWithOperator({ isOperator = true } = {}) {
  const owner = await aLogin(api.database.db, api.deps.loginDeps);
  await aUser(api.database.db, { accountId: owner.accountId });
  const operator = await aLogin(api.database.db, api.deps.loginDeps, { accountId: owner.accountId });
  await turnTotpOn(api.database.db, operator.id);
  await setOperator(api.database.db, operator.email, isOperator);
  return { owner, operator, db: api.database.db.forAccount(owner.accountId) };
}
