import { request as startRequest } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { aLogin, anApiKey, type TestLogin } from "../../../test/builders.ts";
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
  const statuses = await callHeld(requests, { authorization: `Bearer ${other.accessToken}` }, removal);
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
  const statuses = await callHeld(requests, { authorization: `Bearer ${other.accessToken}` }, demotion);
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
  const statuses = await callHeld(requests, { "x-api-key": key }, () =>
    revokeApiKey(db.forAccount(owner.accountId), id),
  );
  expect(statuses).toEqual([401, 401, 401, 401]);
});

interface Held {
  method: string;
  path: string;
  body: object;
}

/** Sends all headers and the first byte of each body, waits until the API has read them, calls `meanwhile` and sends the rest. */
async function callHeld(requests: Held[], credential: Record<string, string>, meanwhile: () => Promise<unknown>) {
  const held = requests.map(({ method, path, body }) => {
    const text = JSON.stringify(body);
    const headers = { ...credential, "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const request = startRequest({ port, method, path, headers });
    const status = new Promise<number | undefined>((resolve, reject) => {
      request.on("error", reject);
      request.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    request.write(text.slice(0, 1));
    return { status, finish: () => request.end(text.slice(1)) };
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await meanwhile();
  for (const { finish } of held) finish();
  return Promise.all(held.map(({ status }) => status));
}

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
