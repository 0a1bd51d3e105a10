import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { ApiKeyIssuer } from "../src/api-keys/create-api-key.ts";
import type { Database } from "../src/db/database.ts";
import { insertInvitation } from "../src/invitations/invitation-store.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { makeMailedToken } from "../src/logins/mailed-token.ts";
import { confirmTotpEnrolment, startTotpEnrolment } from "../src/logins/manage-totp.ts";
import { authenticatorApp } from "./authenticator-app.ts";
import { aLogin, anAccount, anApiKey, aUser, type TestLogin } from "./builders.ts";
import { aSuppression, aVerifiedDomain } from "./send-builders.ts";

/** One management action by a request, prepared in a new account. */
export interface AuditedRequest {
  /** Whose audit gets the entry. */
  accountId: string;
  path: string;
  token?: string;
  body?: Record<string, unknown>;
  /** SQL: whether the action was done. `$1` is `subject`. */
  isDone: string;
  subject: string | number;
  /** What the entry says. */
  entry: {
    actorKind?: string;
    actorName: string | null;
    targetName: string;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
  };
  /** What neither the table nor the export may contain. */
  secrets: string[];
}

export interface RequestDeps {
  db: Database;
  loginDeps: LoginDeps;
  apiKeyIssuer: ApiKeyIssuer;
}

/** Characters that appear nowhere else. */
export const canary = () => `n${randomBytes(8).toString("hex")}`;

const client = { address: "192.0.2.1" };

const ownOf = ({ id, loginId, accountId }: TestLogin) => ({
  userId: id,
  loginId,
  accountId,
  actor: { kind: "user", id } as const,
});

async function anEnrolledUser({ db, loginDeps }: RequestDeps) {
  const login = await aLogin(db, loginDeps);
  const proof = { ...client, password: login.password };
  const { secret } = await startTotpEnrolment(db, loginDeps, ownOf(login), proof);
  return { ...login, secret, app: authenticatorApp(secret) };
}

async function aTotpUser(deps: RequestDeps) {
  const user = await anEnrolledUser(deps);
  const codes = await confirmTotpEnrolment(deps.db, deps.loginDeps, ownOf(user), user.app.code());
  return { ...user, codes };
}

async function anInvitation({ db, loginDeps }: RequestDeps, email = `${canary()}@example.com`) {
  const owner = await aLogin(db, loginDeps);
  const token = makeMailedToken();
  const invitation = { id: randomUUIDv7(), email, role: "viewer", tokenHash: token.hash, invitedBy: owner.id } as const;
  await insertInvitation(db.forAccount(owner.accountId), invitation);
  return { owner, email, id: invitation.id, token: token.text };
}

async function idOfDomain(db: Database, accountId: string): Promise<number> {
  const [row] = await db.query<{ id: number }>({
    name: "id-of-domain",
    text: "select id from domains where account_id = $1",
    values: [accountId],
  });
  return row?.id ?? 0;
}

const facts = { before: null, after: null };
const hasLogin = (condition: string) => `exists (select from logins where ${condition})`;
/** By the routes of route-audit.ts. */
export const auditedRequests: Record<string, (deps: RequestDeps) => Promise<AuditedRequest>> = {
  "POST /api/v1/auth/login": async ({ db }) => {
    const { email, password, accountId, id } = await aUser(db);
    const entry = { actorName: email, targetName: email, before: null, after: { second_factor: null } };
    const isDone = hasLogin("user_id = $1");
    const path = "/api/v1/auth/login";
    return { accountId, path, body: { email, password }, isDone, subject: id, entry, secrets: [password] };
  },
  "POST /api/v1/auth/logout": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const entry = { ...named(user), before: { session_id: user.loginId }, after: null };
    const isDone = `not ${hasLogin("id = $1")}`;
    return { ...by(user), path: "/api/v1/auth/logout", isDone, subject: user.loginId, entry };
  },
  "POST /api/v1/auth/switch": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const accountId = await anAccount(db);
    await db.query({
      name: "second-membership",
      text: "insert into memberships (user_id, account_id, role) values ($1, $2, 'viewer')",
      values: [user.id, accountId],
    });
    const entry = { ...named(user), before: { account_id: user.accountId }, after: { account_id: accountId } };
    const isDone = hasLogin("account_id = $1");
    const request = { path: "/api/v1/auth/switch", body: { tenant_id: accountId } };
    return { ...by(user), ...request, accountId, isDone, subject: accountId, entry };
  },
  "DELETE /api/v1/auth/sessions": async ({ db, loginDeps }) => {
    const { user, otherId } = await twoSessions(db, loginDeps);
    const entry = { ...named(user), before: { sessions: 1 }, after: null };
    return {
      ...by(user),
      path: "/api/v1/auth/sessions",
      isDone: `not ${hasLogin("id = $1")}`,
      subject: otherId,
      entry,
    };
  },
  "DELETE /api/v1/auth/sessions/:id": async ({ db, loginDeps }) => {
    const { user, otherId } = await twoSessions(db, loginDeps);
    const entry = { ...named(user), before: { session_id: otherId }, after: null };
    const path = `/api/v1/auth/sessions/${otherId}`;
    return { ...by(user), path, isDone: `not ${hasLogin("id = $1")}`, subject: otherId, entry };
  },
  "POST /api/v1/auth/totp": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const isDone = "exists (select from users where id = $1 and totp_secret is not null)";
    const request = { path: "/api/v1/auth/totp", body: { password: user.password } };
    return { ...by(user), ...request, isDone, subject: user.id, entry: { ...named(user), ...facts } };
  },
  "POST /api/v1/auth/totp/confirm": async (deps) => {
    const user = await anEnrolledUser(deps);
    const request = { path: "/api/v1/auth/totp/confirm", body: { totp_code: user.app.code() } };
    const entry = { ...named(user), before: null, after: { enabled: true } };
    return {
      ...by(user),
      ...request,
      isDone: isOn,
      subject: user.id,
      entry,
      secrets: [...by(user).secrets, user.secret],
    };
  },
  "POST /api/v1/auth/totp/recovery-codes": async (deps) => {
    const user = await aTotpUser(deps);
    const isDone = `not exists (select from users where id = $1 and totp_last_step = ${await stepOf(deps.db, user.id)})`;
    const request = { path: "/api/v1/auth/totp/recovery-codes", body: { totp_code: user.app.code(1) } };
    const entry = { ...named(user), before: null, after: { second_factor: "totp" } };
    const secrets = [...by(user).secrets, user.secret, ...user.codes];
    return { ...by(user), ...request, isDone, subject: user.id, entry, secrets };
  },
  "POST /api/v1/auth/totp/disable": async (deps) => {
    const user = await aTotpUser(deps);
    const body = { password: user.password, recovery_code: user.codes[0] };
    const entry = { ...named(user), before: null, after: { enabled: false, second_factor: "recovery-code" } };
    const secrets = [...by(user).secrets, user.secret, ...user.codes];
    const request = { path: "/api/v1/auth/totp/disable", body };
    return { ...by(user), ...request, isDone: `not ${isOn}`, subject: user.id, entry, secrets };
  },
  "POST /api/v1/auth/invitations/accept": async (deps) => {
    const { owner, email, token } = await anInvitation(deps);
    const password = `${canary()} as a password`;
    const entry = { actorName: email, targetName: email, before: null, after: { role: "viewer" } };
    const request = { path: "/api/v1/auth/invitations/accept", body: { token, password } };
    const isDone = "exists (select from users where email = $1)";
    return { accountId: owner.accountId, ...request, isDone, subject: email, entry, secrets: [token, password] };
  },
  "POST /api/v1/auth/invitations/join": async (deps) => {
    const user = await aLogin(deps.db, deps.loginDeps);
    const { owner, id, token } = await anInvitation(deps, user.email);
    const entry = { ...named(user), before: null, after: { role: "viewer", user_id: user.id } };
    const request = { path: "/api/v1/auth/invitations/join", body: { token } };
    const { accountId } = owner;
    return { ...by(user), ...request, accountId, isDone: noInvitation, subject: id, entry, secrets: [token] };
  },
  "POST /api/v1/auth/password-reset": async ({ db }) => {
    const { email, accountId, id } = await aUser(db);
    const entry = { actorKind: "anonymous", actorName: null, targetName: email, ...facts };
    const isDone = "exists (select from password_resets where user_id = $1)";
    return { accountId, path: "/api/v1/auth/password-reset", body: { email }, isDone, subject: id, entry, secrets: [] };
  },
  "POST /api/v1/auth/password-reset/confirm": async ({ db }) => {
    const { email, accountId, id } = await aUser(db);
    const token = makeMailedToken();
    await db.query({
      name: "a-reset",
      text: "insert into password_resets (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')",
      values: [token.hash, id],
    });
    const password = `${canary()} as a password`;
    const request = { path: "/api/v1/auth/password-reset/confirm", body: { token: token.text, password } };
    const isDone = "not exists (select from password_resets where user_id = $1)";
    const entry = { actorName: email, targetName: email, ...facts };
    return { accountId, ...request, isDone, subject: id, entry, secrets: [token.text, password] };
  },
  "POST /api/v1/invitations": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const email = `${canary()}@example.com`;
    const entry = { actorName: user.email, targetName: email, before: null, after: { email, role: "viewer" } };
    const isDone = "exists (select from invitations where email = $1)";
    return { ...by(user), path: "/api/v1/invitations", body: { email, role: "viewer" }, isDone, subject: email, entry };
  },
  "DELETE /api/v1/invitations/:id": async (deps) => {
    const { owner, email, id } = await anInvitation(deps);
    const entry = { actorName: owner.email, targetName: email, before: { email, role: "viewer" }, after: null };
    return { ...by(owner), path: `/api/v1/invitations/${id}`, isDone: noInvitation, subject: id, entry };
  },
  "PATCH /api/v1/members/:id": async ({ db, loginDeps }) => {
    const { owner, member } = await twoMembers(db, loginDeps);
    const names = { actorName: owner.email, targetName: member.email };
    const entry = { ...names, before: { role: "viewer" }, after: { role: "developer" } };
    const request = { path: `/api/v1/members/${member.id}`, body: { role: "developer" } };
    const isDone = "exists (select from memberships where user_id = $1 and role = 'developer')";
    return { ...by(owner), ...request, isDone, subject: member.id, entry };
  },
  "DELETE /api/v1/members/:id": async ({ db, loginDeps }) => {
    const { owner, member } = await twoMembers(db, loginDeps);
    const entry = { actorName: owner.email, targetName: member.email, before: { role: "viewer" }, after: null };
    const isDone = "not exists (select from memberships where user_id = $1)";
    return { ...by(owner), path: `/api/v1/members/${member.id}`, isDone, subject: member.id, entry };
  },
  "PATCH /api/v1/account": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const change = { before: { totp_required: false }, after: { totp_required: true } };
    const entry = { actorName: user.email, targetName: "An account", ...change };
    const isDone = "exists (select from accounts where id = $1 and totp_required)";
    const request = { path: "/api/v1/account", body: { totp_required: true } };
    return { ...by(user), ...request, isDone, subject: user.accountId, entry };
  },
  "DELETE /api/v1/suppression/:email": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const email = `${canary()}@example.com`;
    for (const mode of ["live", "test"] as const) await aSuppression(db, { accountId: user.accountId, email, mode });
    const entry = { actorName: user.email, targetName: email, before: { modes: ["live", "test"] }, after: null };
    const isDone = "not exists (select from suppressions where email = $1)";
    return { ...by(user), path: `/api/v1/suppression/${email}`, isDone, subject: email, entry };
  },
  "POST /api/v1/domains": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const name = `${canary()}.io`;
    const entry = { actorName: user.email, targetName: name, before: null, after: { domain_name: name } };
    const isDone = "exists (select from domains where domain_name = $1 and registered_at is not null)";
    return { ...by(user), path: "/api/v1/domains", body: { domain_name: name }, isDone, subject: name, entry };
  },
  "POST /api/v1/domains/:id/verify": async ({ db, loginDeps }) => {
    const { user, domain, id } = await aDomain(db, loginDeps);
    const before = { verification_status: "Success" };
    const entry = { actorName: user.email, targetName: domain, before, after: null };
    const isDone = "exists (select from domains where id = $1 and check_requested_at is not null)";
    return { ...by(user), path: `/api/v1/domains/${id}/verify`, isDone, subject: id, entry };
  },
  "DELETE /api/v1/domains/:id": async ({ db, loginDeps }) => {
    const { user, domain, id } = await aDomain(db, loginDeps);
    const before = { domain_name: domain, verification_status: "Success" };
    const entry = { actorName: user.email, targetName: domain, before, after: null };
    const isDone = "not exists (select from domains where id = $1)";
    return { ...by(user), path: `/api/v1/domains/${id}`, isDone, subject: id, entry };
  },
  "POST /api/v1/api-keys": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const name = canary();
    const entry = { actorName: user.email, targetName: name, before: null, after: { name, type: "test" } };
    const isDone = "exists (select from api_keys where name = $1)";
    return { ...by(user), path: "/api/v1/api-keys", body: { name, type: "test" }, isDone, subject: name, entry };
  },
  "POST /api/v1/api-keys/:id/roll": async (deps) => {
    const { user, key } = await aKey(deps);
    const names = { actorName: user.email, targetName: key.name };
    const entry = { ...names, before: { key_prefix: key.keyPrefix }, after: {} };
    const isDone = "exists (select from api_keys where id = $1 and newest_secret_id is not null)";
    const request = { path: `/api/v1/api-keys/${key.id}/roll`, body: { overlap_seconds: 60 } };
    return { ...by(user), ...request, isDone, subject: key.id, entry, secrets: [...by(user).secrets, key.key] };
  },
  "DELETE /api/v1/api-keys/:id": async (deps) => {
    const { user, key } = await aKey(deps);
    const before = { name: key.name, key_prefix: key.keyPrefix };
    const entry = { actorName: user.email, targetName: key.name, before, after: null };
    const isDone = "exists (select from api_keys where id = $1 and revoked_at is not null)";
    const path = `/api/v1/api-keys/${key.id}`;
    return { ...by(user), path, isDone, subject: key.id, entry, secrets: [...by(user).secrets, key.key] };
  },
};

const isOn = "exists (select from users where id = $1 and totp_enabled_at is not null)";
const noInvitation = "not exists (select from invitations where id = $1)";

function by({ accountId, accessToken, refreshToken, password }: TestLogin) {
  return { accountId, token: accessToken, secrets: [accessToken, refreshToken, password] };
}

function named({ email }: { email: string }) {
  return { actorName: email, targetName: email };
}

async function twoSessions(db: Database, loginDeps: LoginDeps) {
  const user = await aLogin(db, loginDeps);
  const otherId = randomUUIDv7();
  await db.query({
    name: "second-session",
    text: `insert into logins (id, user_id, account_id, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
    values: [otherId, user.id, user.accountId],
  });
  return { user, otherId };
}

async function twoMembers(db: Database, loginDeps: LoginDeps) {
  const owner = await aLogin(db, loginDeps);
  return { owner, member: await aUser(db, { accountId: owner.accountId, role: "viewer" }) };
}

async function aDomain(db: Database, loginDeps: LoginDeps) {
  const user = await aLogin(db, loginDeps);
  const domain = await aVerifiedDomain(db, user.accountId, `${canary()}.io`);
  return { user, domain, id: await idOfDomain(db, user.accountId) };
}

async function aKey({ db, loginDeps, apiKeyIssuer }: RequestDeps) {
  const user = await aLogin(db, loginDeps);
  return { user, key: await anApiKey(db, apiKeyIssuer, user.accountId, { name: canary() }) };
}

async function stepOf(db: Database, userId: string): Promise<number> {
  const [row] = await db.query<{ step: number }>({
    name: "last-step",
    text: "select totp_last_step as step from users where id = $1",
    values: [userId],
  });
  return row?.step ?? 0;
}
