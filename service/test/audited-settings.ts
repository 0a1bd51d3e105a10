import type { Database } from "../src/db/database.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { type AuditedRequests, by, canary, type RequestDeps } from "./audited-request.ts";
import { aLogin, anApiKey } from "./builders.ts";
import { aSuppression, aVerifiedDomain } from "./send-builders.ts";

export const settingRequests: AuditedRequests = {
  "PATCH /api/v1/account": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const change = { before: { totp_required: false }, after: { totp_required: true } };
    const entry = { actorName: user.email, targetName: "An account", ...change };
    const isDone = "exists (select from accounts where id = $1 and totp_required)";
    const request = { path: "/api/v1/account", body: { totp_required: true } };
    return { ...by(user), ...request, isDone, subject: user.accountId, entry };
  },
  "POST /api/v1/suppression": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const email = `${canary()}@example.com`;
    const after = { mode: "live", reason: "manual", note: "Asked by phone" };
    const entry = { actorName: user.email, targetName: email, before: null, after };
    const isDone = "exists (select from suppressions where email = $1)";
    const body = { email: email.toUpperCase(), note: "Asked by phone" };
    return { ...by(user), path: "/api/v1/suppression", body, isDone, subject: email, entry };
  },
  "POST /api/v1/suppression/import": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const email = `${canary()}@example.com`;
    const after = { source: "csv", mode: "live", added: 1, strengthened: 0 };
    const entry = { actorName: user.email, targetName: null, before: null, after };
    const isDone = "exists (select from suppressions where email = $1)";
    const body = { entries: [{ email }], dry_run: false };
    return { ...by(user), path: "/api/v1/suppression/import", body, isDone, subject: email, entry };
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
  "POST /api/v1/domains/:id/mail-from": async ({ db, loginDeps }) => {
    const { user, domain, id } = await aDomain(db, loginDeps);
    const changed = { before: { mail_from_subdomain: null }, after: { mail_from_subdomain: "bounce" } };
    const entry = { actorName: user.email, targetName: domain, ...changed };
    const isDone = "exists (select from domains where id = $1 and mail_from_subdomain = 'bounce')";
    const request = { path: `/api/v1/domains/${id}/mail-from`, body: { subdomain: "bounce" } };
    return { ...by(user), ...request, isDone, subject: id, entry };
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

async function aDomain(db: Database, loginDeps: LoginDeps) {
  const user = await aLogin(db, loginDeps);
  const domain = await aVerifiedDomain(db, user.accountId, `${canary()}.io`);
  return { user, domain, id: await idOfDomain(db, user.accountId) };
}

async function aKey({ db, loginDeps, apiKeyIssuer }: RequestDeps) {
  const user = await aLogin(db, loginDeps);
  return { user, key: await anApiKey(db, apiKeyIssuer, user.accountId, { name: canary() }) };
}

async function idOfDomain(db: Database, accountId: string): Promise<number> {
  const [row] = await db.query<{ id: number }>({
    name: "id-of-domain",
    text: "select id from domains where account_id = $1",
    values: [accountId],
  });
  return row?.id ?? 0;
}
