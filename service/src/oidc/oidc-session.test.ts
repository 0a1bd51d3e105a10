import { randomUUIDv7 } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { auditRows } from "../../test/audit-rows.ts";
import { aUser } from "../../test/builders.ts";
import { callHeld } from "../../test/held-requests.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useOidcApi } from "../../test/use-oidc-api.ts";
import { changeRole, removeMember } from "../accounts/membership-store.ts";
import { createApiKey } from "../api-keys/create-api-key.ts";
import { deleteExpiredLogins } from "../logins/expired-logins.ts";
import { makeMailedToken } from "../logins/mailed-token.ts";

const api = useOidcApi();
let sub = "";
beforeEach(() => {
  sub = `subject-${randomUUIDv7()}`;
});

test("an owner without a grant loses the sessions, and no log-in or switch opens the account until a log-in grants it", async () => {
  const before = await api.tokenOf((await api.logIn({ sub, groups: ["developers"] })).cookie);
  const { id } = await user();
  await changeRole(inFirst(), { userId: id, role: "owner" });
  const { cookie } = await api.logIn({ sub, groups: ["others"] });
  expect((await api.call("GET", "/account", { token: before })).status).toBe(401);
  const token = await api.tokenOf(cookie);
  const me = (await api.call("GET", "/auth/me", { token })).json;
  expect([me.tenant_id, me.memberships.length]).toEqual([api.accounts.second, 1]);
  const body = { tenant_id: api.accounts.first, browser: true };
  expect((await api.call("POST", "/auth/switch", { token, cookie, body })).status).toBe(404);
  const held = "select role from memberships where user_id = $1 and account_id = $2";
  expect(await sql(held, [id, api.accounts.first])).toEqual([{ role: "owner" }]);
  expect((await api.logIn({ sub, groups: [] })).status).toBe(403);
  expect(await sql("select from logins where user_id = $1", [id])).toEqual([]);
  const again = await api.tokenOf((await api.logIn({ sub, groups: ["developers"] })).cookie);
  expect((await api.call("GET", "/auth/me", { token: again })).json).toMatchObject({ role: "owner" });
  const entries = (await auditRows(api.database.db, api.accounts.first)).filter(({ target_id }) => target_id === id);
  expect(entries.map(({ action }) => action).filter((action) => /member\.(close|open)/.test(action))).toEqual([
    "member.close",
    "member.open",
  ]);
});

test("the release before finds neither user nor login of the person, also as an owner, and its log-in stores nothing", async () => {
  await api.logIn({ sub, groups: ["developers"] });
  const { id } = await user();
  await changeRole(inFirst(), { userId: id, role: "owner" });
  expect(await sql("select account_id from users where id = $1", [id])).toEqual([{ account_id: null }]);
  const logIn = "insert into logins (id, user_id, expires_at) values ($2, $1, now() + interval '1 day') returning id";
  expect(await sql(logIn, [id, randomUUIDv7()])).toEqual([]);
});

test("a callback with a used state adds nobody", async () => {
  // The statement finds the state of every log-in used up.
  await sql("create function use_up_state() returns trigger language plpgsql as $$ begin return null; end $$");
  await sql("create trigger uses_up before insert on used_oidc_states for each row execute function use_up_state()");
  expect((await api.logIn({ sub, groups: ["developers"] })).status).toBe(401);
  await sql("drop trigger uses_up on used_oidc_states");
  expect(await sql("select from oidc_identities where subject = $1", [sub])).toEqual([]);
});

test("the access token of the session gives no other session without the cookie, and a switch keeps the end", async () => {
  const { cookie } = await api.logIn({ sub, groups: ["developers", "others"] });
  const token = await api.tokenOf(cookie);
  const me = (await api.call("GET", "/auth/me", { token })).json;
  const tenant_id = me.tenant_id === api.accounts.first ? api.accounts.second : api.accounts.first;
  const switchWith = (body: object, more = {}) =>
    api.call("POST", "/auth/switch", { token, body: { tenant_id, ...body }, ...more });
  expect((await switchWith({})).status).toBe(401);
  expect((await switchWith({ browser: true })).status).toBe(401);
  const [before] = await sql("select expires_at from logins where user_id = $1", [me.user_id]);
  expect((await switchWith({ browser: true }, { cookie })).status).toBe(200);
  expect(await sql("select expires_at from logins where user_id = $1", [me.user_id])).toEqual([before]);
});

test("a log-in ends the session whose cookie it replaces, also that of a local user; a refused one does not", async () => {
  const { email, password } = await aUser(api.database.db);
  const local = await api.call("POST", "/auth/login", { body: { email, password, browser: true } });
  const isOpen = async (token: string) => (await api.call("GET", "/auth/sessions", { token })).status === 200;
  expect((await api.logIn({ sub, groups: [] }, local.cookie)).status).toBe(403);
  expect(await isOpen(local.json.access_token)).toBe(true);
  const first = await api.logIn({ sub, groups: ["developers"] }, local.cookie);
  const token = await api.tokenOf(first.cookie);
  expect([await isOpen(local.json.access_token), await isOpen(token)]).toEqual([false, true]);
  await api.logIn({ sub, groups: ["developers"] }, `${first.cookie}; ${local.cookie}`);
  expect(await isOpen(token)).toBe(false);
});

test("an account that requires TOTP accepts requests and sends of the person, whose issuer asks for it", async () => {
  const { cookie } = await api.logIn({ sub, groups: ["developers"] });
  const token = await api.tokenOf(cookie);
  const domain = await aVerifiedDomain(api.database.db, api.accounts.first);
  await sql("update accounts set totp_required = true where id = $1", [api.accounts.first]);
  const body = { from: `a@${domain}`, to: ["b@example.com"], subject: "s", text: "t" };
  const statuses = [await api.call("GET", "/domains", { token }), await api.call("POST", "/send", { token, body })];
  await sql("update accounts set totp_required = false where id = $1", [api.accounts.first]);
  expect(statuses.map(({ status }) => status)).toEqual([200, 202]);
  const enrolment = await api.call("POST", "/auth/totp", { token, body: { password: "a password for tests" } });
  expect([enrolment.status, enrolment.json.error.message]).toEqual([409, expect.stringContaining("set it up there")]);
});

test("the person has no password to change: 409 names the issuer", async () => {
  const { cookie } = await api.logIn({ sub, groups: ["developers"] });
  const body = { current_password: "a password for tests", new_password: "another password for tests" };
  const answer = await api.call("POST", "/auth/password", { token: await api.tokenOf(cookie), body });
  expect([answer.status, answer.json.error.message]).toEqual([
    409,
    "You log in by OIDC and have no password here. Change it at the issuer.",
  ]);
});

test("lifting the requirement of TOTP needs a log-in of the last ten minutes instead of a code", async () => {
  const { cookie } = await api.logIn({ sub, groups: ["developers"] });
  const { id } = await user();
  await changeRole(inFirst(), { userId: id, role: "owner" });
  const token = await api.tokenOf(cookie);
  const lift = () => api.call("PATCH", "/account", { token, body: { totp_required: false } });
  expect((await lift()).status).toBe(200);
  await sql("update logins set expires_at = expires_at - interval '11 minutes' where user_id = $1", [id]);
  expect((await lift()).status).toBe(403);
});

test("a key names the verified address of its maker, and a removal ends the invitation of that address", async () => {
  const email = `${sub}@acme.test`;
  const { cookie } = await api.logIn({ sub, groups: ["developers"], email, email_verified: true });
  const [token, { id }] = [await api.tokenOf(cookie), await user()];
  const key = await api.call("POST", "/api-keys", { token, body: { name: "a key", type: "live" } });
  expect([key.status, key.json.created_by]).toEqual([201, { user_id: id, email }]);
  const invite = `insert into invitations (id, account_id, email, role, token_hash, expires_at)
    values ($1, $2, $3, 'viewer', '\\x02', now() + interval '1 day')`;
  await sql(invite, [randomUUIDv7(), api.accounts.first, email]);
  expect(await removeMember(inFirst(), { userId: id })).toBe(true);
  expect(await sql("select from invitations where email = $1", [email])).toEqual([]);
  expect((await api.call("GET", "/domains", { token })).status).toBe(401);
});

test("an invitation of the name that stands for the person makes nobody a member", async () => {
  const token = await api.tokenOf((await api.logIn({ sub, groups: ["developers"] })).cookie);
  const { id } = await user();
  const invite = `insert into invitations (id, account_id, email, role, token_hash, expires_at)
    values ($1, $2, $3, 'owner', $4, now() + interval '1 day')`;
  const invitation = makeMailedToken();
  await sql(invite, [randomUUIDv7(), api.accounts.second, `${id}@oidc.invalid`, invitation.hash]);
  const joined = await api.call("POST", "/auth/invitations/join", { token, body: { token: invitation.text } });
  expect(joined.status).toBe(404);
  expect(await sql("select account_id from memberships where user_id = $1", [id])).toEqual([
    { account_id: api.accounts.first },
  ]);
});

test("a person whose claims end the membership while the body is on its way changes nothing", async () => {
  const token = await api.tokenOf((await api.logIn({ sub, groups: ["developers"] })).cookie);
  const domain = await aVerifiedDomain(api.database.db, api.accounts.first);
  const send = { from: `a@${domain}`, to: ["b@example.com"], subject: "s", text: "t" };
  const requests = [
    { method: "POST", path: "/api/v1/api-keys", body: { name: "a late key", type: "live" } },
    { method: "POST", path: "/api/v1/send", body: send },
    { method: "POST", path: "/api/v1/send/validate", body: send },
  ];
  const port = Number(new URL(await api.app.listen({ port: 0, host: "127.0.0.1" })).port);
  const credential = { authorization: `Bearer ${token}` };
  const statuses = await callHeld(port, requests, credential, () => api.logIn({ sub, groups: [] }));
  expect(statuses).toEqual([401, 401, 401]);
  expect(await sql("select from api_keys where name = 'a late key'")).toEqual([]);
});

test("the chore deletes an expired session", async () => {
  await api.logIn({ sub, groups: ["developers"] });
  const { id } = await user();
  await sql("update logins set expires_at = now() where user_id = $1", [id]);
  await deleteExpiredLogins(api.database.db, 1000);
  expect(await sql("select from logins where user_id = $1", [id])).toEqual([]);
});

test("log-ins that change the memberships of a person cause no deadlock with changes by owners and new keys, 30 times out of 30", {
  timeout: 90_000,
}, async () => {
  const problems: unknown[] = [];
  for (let round = 0; round < 30; round++) {
    await api.logIn({ sub, groups: ["developers", "others"] });
    const { id } = await user();
    const groups = [["readers"], ["others"], ["developers", "others"], []];
    const logIns = groups.map((each) => api.logIn({ sub, groups: each }));
    const request = { name: "a key", type: "live", expiresAt: null, createdBy: id } as const;
    const others = Promise.allSettled([
      createApiKey(inFirst(), api.deps.apiKeyIssuer, request),
      changeRole(inFirst(), { userId: id, role: "viewer" }),
      removeMember(inFirst(), { userId: id }),
      createApiKey(inFirst(), api.deps.apiKeyIssuer, request),
    ]);
    const statuses = (await Promise.all(logIns)).map(({ status }) => status);
    problems.push(...statuses.filter((status) => ![302, 401, 403].includes(status)));
    for (const outcome of await others) {
      if (outcome.status === "rejected" && outcome.reason.code !== "FORBIDDEN") problems.push(outcome.reason);
    }
  }
  expect(problems).toEqual([]);
});

function sql(text: string, values: unknown[] = []) {
  return change(api.database.db, text, values);
}

function inFirst() {
  return api.database.db.forAccount(api.accounts.first);
}

async function user(): Promise<{ id: string }> {
  const [row] = await sql("select user_id as id from oidc_identities where subject = $1", [sub]);
  return { id: String(row?.id) };
}
