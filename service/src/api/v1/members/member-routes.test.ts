import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aLogin, anApiKey, aUser } from "../../../../test/builders.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

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

test("a removed member is logged out at once, and the keys of the account stay valid", async () => {
  const owner = await anOwner();
  const member = await aLogin(api.database.db, api.deps.loginDeps, { accountId: owner.accountId, role: "developer" });
  const { key } = await anApiKey(api.database.db, api.deps.apiKeyIssuer, owner.accountId);
  expect((await call("DELETE", owner.accessToken, member.id)).status).toBe(200);
  expect((await api.call({ method: "GET", path: "/api/v1/account", token: member.accessToken })).status).toBe(401);
  expect((await api.call({ method: "GET", path: "/api/v1/account", key })).status).toBe(200);
  expect((await call("DELETE", owner.accessToken, member.id)).status).toBe(404);
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
