import { expect, test } from "vitest";
import { aLogin, aUser } from "../../../test/builders.ts";
import { registeredRoutes } from "../../../test/registered-routes.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { changeRole, removeMember } from "../../accounts/membership-store.ts";
import { isAtLeast, type Role, roles } from "../../accounts/role.ts";
import { findRouteAccess } from "./route-access.ts";

const api = useTestApi();
const mail = { from: "a@sandbox.test", to: ["jane@example.test"], subject: "Hello", text: "Hi" };

test.for(roles)("a %s gets 403 FORBIDDEN from exactly the routes that need a higher role", async (role) => {
  const { accountId } = await aUser(api.database.db);
  const differences: string[] = [];
  let refusals = 0;
  for (const { methods, path } of registeredRoutes(api.app)) {
    for (const method of methods) {
      const access = findRouteAccess(method, path);
      if (access === undefined || access.public) continue;
      // A new login each time, because some routes end it.
      const { accessToken } = await aMember(accountId, role);
      const response = await api.app.inject({
        method: method as "GET",
        url: path.replaceAll(/:\w+/g, "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f"),
        headers: { authorization: `Bearer ${accessToken}` },
      });
      const { role: needed } = access;
      const isAllowed = needed === "any-user" || (needed !== "operator" && isAtLeast(role, needed));
      if ((response.statusCode !== 403) !== isAllowed) differences.push(`${method} ${path} ${response.statusCode}`);
      if (response.statusCode === 403) refusals += 1;
    }
  }
  expect(differences).toEqual([]);
  expect(refusals).toBeGreaterThan(4);
});

test("the refusal names the needed role, the role of the user, and who can change it", async () => {
  const { accountId } = await aUser(api.database.db);
  const { accessToken } = await aMember(accountId, "viewer");
  const { status, json } = await createKey(accessToken);
  expect([status, json().error.code]).toEqual([403, "FORBIDDEN"]);
  expect(json().error.message).toMatch(/role developer.*viewer.*owner of the account/);
});

test("a viewer sends nothing: the send is refused before its body is read, and nothing is stored", async () => {
  const { accountId } = await aUser(api.database.db);
  const { accessToken } = await aMember(accountId, "viewer");
  for (const body of [mail, { ...mail, text: "x".repeat(300_000) }, { not: "a mail" }]) {
    const answer = await api.call({ method: "POST", path: "/api/v1/send?mode=test", token: accessToken, body });
    expect([answer.status, answer.json().error.code]).toEqual([403, "FORBIDDEN"]);
  }
  expect(await change(api.database.db, "select id from sends where account_id = $1", [accountId])).toEqual([]);
});

test("a new role and a removal take effect with the next request of the same token", async () => {
  const { accountId } = await aUser(api.database.db);
  const { accessToken, id } = await aMember(accountId, "developer");
  const db = api.database.db.forAccount(accountId);
  const send = () => api.call({ method: "POST", path: "/api/v1/send?mode=test", token: accessToken, body: mail });
  expect((await send()).status).toBe(202);
  await changeRole(db, { userId: id, role: "viewer" });
  expect([(await send()).status, (await createKey(accessToken)).status]).toEqual([403, 403]);
  await changeRole(db, { userId: id, role: "developer" });
  expect((await createKey(accessToken)).status).toBe(201);
  await removeMember(db, { userId: id });
  expect([(await send()).status, (await createKey(accessToken)).status]).toEqual([401, 401]);
});

function aMember(accountId: string, role: Role) {
  return aLogin(api.database.db, api.deps.loginDeps, { accountId, role });
}

function createKey(token: string) {
  return api.call({ method: "POST", path: "/api/v1/api-keys", token, body: { name: "a key", type: "test" } });
}
