import { beforeAll, expect, test } from "vitest";
import { aLogin, anApiKey, type TestLogin } from "../../../test/builders.ts";
import { callHeld, type Held } from "../../../test/held-requests.ts";
import { aVerifiedDomain } from "../../../test/send-builders.ts";
import { change } from "../../../test/send-rows.ts";
import { useTestApi } from "../../../test/use-test-api.ts";
import { changeRole, removeMember } from "../../accounts/membership-store.ts";
import { revokeApiKey } from "../../api-keys/api-key-store.ts";

const api = useTestApi();
let port = 0;

beforeAll(async () => {
  port = Number(new URL(await api.app.listen({ port: 0, host: "127.0.0.1" })).port);
});

test("a member who is removed while the body is on its way changes nothing", async () => {
  const { owner, other, key, domain } = await anAccountWithTwoOwners();
  const path = `/api/v1/members/${owner.id}`;
  const removal = () => removeMember(api.database.db.forAccount(owner.accountId), { userId: other.id });
  const requests: Held[] = [
    { method: "PATCH", path, body: { role: "viewer" } },
    { method: "DELETE", path, body: {} },
    { method: "POST", path: `/api/v1/api-keys/${key.id}/roll`, body: { overlap_seconds: 0 } },
    { method: "DELETE", path: `/api/v1/api-keys/${key.id}`, body: {} },
    { method: "POST", path: "/api/v1/send", body: aSend(domain) },
    { method: "POST", path: "/api/v1/send/validate", body: aSend(domain) },
  ];
  const statuses = await callHeld(port, requests, { authorization: `Bearer ${other.accessToken}` }, removal);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
  expect(await rolesOf(owner.accountId)).toEqual(["owner"]);
});

test("a member who loses the role while the body is on its way gets 403", async () => {
  const { owner, other, key, domain } = await anAccountWithTwoOwners();
  const demotion = () => changeRole(api.database.db.forAccount(owner.accountId), { userId: other.id, role: "viewer" });
  const requests: Held[] = [
    { method: "PATCH", path: `/api/v1/members/${owner.id}`, body: { role: "viewer" } },
    { method: "POST", path: `/api/v1/api-keys/${key.id}/roll`, body: {} },
    { method: "POST", path: "/api/v1/send", body: aSend(domain) },
  ];
  const statuses = await callHeld(port, requests, { authorization: `Bearer ${other.accessToken}` }, demotion);
  expect(statuses).toEqual([403, 403, 403]);
});

test("a key that is revoked while the body is on its way changes nothing", async () => {
  const { owner, domain } = await anAccountWithTwoOwners();
  const { db } = api.database;
  const scopes = ["send", "domains", "suppressions"] as const;
  const { id, key } = await anApiKey(db, api.deps.apiKeyIssuer, owner.accountId, { scopes: [...scopes] });
  const [stored] = await change(db, "select id from domains where account_id = $1", [owner.accountId]);
  const requests: Held[] = [
    { method: "DELETE", path: `/api/v1/domains/${String(stored?.id)}`, body: {} },
    { method: "DELETE", path: "/api/v1/suppression/jane@example.com", body: {} },
    { method: "POST", path: "/api/v1/send/validate", body: aSend(domain) },
    { method: "POST", path: "/api/v1/send", body: aSend(domain) },
  ];
  const statuses = await callHeld(port, requests, { "x-api-key": key }, () =>
    revokeApiKey(db.forAccount(owner.accountId), id),
  );
  expect(statuses).toEqual([401, 401, 401, 401]);
});

async function anAccountWithTwoOwners() {
  const { db } = api.database;
  const owner: TestLogin = await aLogin(db, api.deps.loginDeps);
  const other = await aLogin(db, api.deps.loginDeps, { accountId: owner.accountId });
  const key = await anApiKey(db, api.deps.apiKeyIssuer, owner.accountId);
  return { owner, other, key, domain: await aVerifiedDomain(db, owner.accountId) };
}

async function rolesOf(accountId: string) {
  const rows = await change(api.database.db, "select role from memberships where account_id = $1", [accountId]);
  return rows.map(({ role }) => role);
}

function aSend(domain: string) {
  return { from: `a@${domain}`, to: ["jane@example.com"], subject: "Hello", text: "Hello" };
}
