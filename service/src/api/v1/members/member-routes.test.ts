import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aLogin, aUser } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { changeRole, removeMember } from "../../../accounts/membership-store.ts";
import { createApiKey } from "../../../api-keys/create-api-key.ts";

const api = useTestApi();

test("an owner lists the members of the account, oldest first, and nobody of another account", async () => {
  const owner = await anOwner();
  await anOwner();
  const viewer = await aUser(api.database.db, { accountId: owner.accountId, role: "viewer" });
  const { status, json } = await call("GET", owner.accessToken);
  expect(status).toBe(200);
  expect(json()).toEqual([
    { user_id: owner.id, email: owner.email, role: "owner", created_at: expect.any(String) },
    { user_id: viewer.id, email: viewer.email, role: "viewer", created_at: expect.any(String) },
  ]);
});

test("an owner changes a role, and the answer shows it", async () => {
  const owner = await anOwner();
  const member = await aUser(api.database.db, { accountId: owner.accountId, role: "viewer" });
  const { status, json } = await call("PATCH", owner.accessToken, member.id, { role: "owner" });
  expect([status, json().role]).toEqual([200, "owner"]);
  expect((await call("PATCH", owner.accessToken, member.id, { role: "king" })).status).toBe(422);
});

test("a removed member is logged out at once, and the keys of the member stay valid and name their maker", async () => {
  const owner = await anOwner();
  const member = await aLogin(api.database.db, api.deps.loginDeps, { accountId: owner.accountId, role: "developer" });
  const body = { name: "made by the member", type: "live" };
  const created = await api.call({ method: "POST", path: "/api/v1/api-keys", token: member.accessToken, body });
  const { key } = created.json();
  expect((await call("DELETE", owner.accessToken, member.id)).status).toBe(200);
  expect((await api.call({ method: "GET", path: "/api/v1/account", token: member.accessToken })).status).toBe(401);
  expect((await api.call({ method: "GET", path: "/api/v1/account", key })).status).toBe(200);
  expect((await call("DELETE", owner.accessToken, member.id)).status).toBe(404);
  const keys = await api.call({ method: "GET", path: "/api/v1/api-keys", token: owner.accessToken });
  expect(keys.json()).toMatchObject([{ created_by: { user_id: member.id, email: member.email } }]);
});

test("a member who is removed or becomes a viewer while creating keys has none that was created afterwards", async () => {
  for (let round = 0; round < 10; round++) {
    const { accountId } = await anOwner();
    const member = await aUser(api.database.db, { accountId, role: "developer" });
    const db = api.database.db.forAccount(accountId);
    const end =
      round % 2 === 0 ? removeMember(db, { userId: member.id }) : changeRole(db, { userId: member.id, role: "viewer" });
    const request = { name: "a key", type: "live", expiresAt: null, createdBy: member.id } as const;
    const keys = Promise.allSettled(Array.from({ length: 5 }, () => createApiKey(db, api.deps.apiKeyIssuer, request)));
    await Promise.all([end, keys]);
    await expect(createApiKey(db, api.deps.apiKeyIssuer, request)).rejects.toMatchObject({ code: "FORBIDDEN" });
  }
});

test("409 for the last owner, who stays logged in as owner", async () => {
  const owner = await anOwner();
  for (const answer of [
    await call("DELETE", owner.accessToken, owner.id),
    await call("PATCH", owner.accessToken, owner.id, { role: "developer" }),
  ]) {
    expect([answer.status, answer.json().error.code]).toEqual([409, "CONFLICT"]);
    expect(answer.json().error.message).toContain("at least one owner");
  }
  expect((await call("GET", owner.accessToken)).status).toBe(200);
});

test("404 for a member of another account, an unknown id and a malformed one, with the same body", async () => {
  const [owner, other] = [await anOwner(), await anOwner()];
  await aUser(api.database.db, { accountId: other.accountId });
  const messages = [];
  for (const id of [other.id, randomUUIDv7(), "x"]) {
    const answers = [
      await call("DELETE", owner.accessToken, id),
      await call("PATCH", owner.accessToken, id, { role: "viewer" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    messages.push(...answers.map(({ json }) => json().error.message));
  }
  expect(new Set(messages).size).toBe(1);
  expect((await call("GET", other.accessToken)).json()).toHaveLength(2);
});

function anOwner() {
  return aLogin(api.database.db, api.deps.loginDeps);
}

function call(method: "GET" | "PATCH" | "DELETE", token: string, id?: string, body?: unknown) {
  const path = id === undefined ? "/api/v1/members" : `/api/v1/members/${id}`;
  return api.call({ method, path, token, ...(body === undefined ? {} : { body }) });
}
