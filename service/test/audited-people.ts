import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import { insertInvitation } from "../src/invitations/invitation-store.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { makeMailedToken } from "../src/logins/mailed-token.ts";
import { type AuditedRequests, by, canary, facts, named, type RequestDeps } from "./audited-request.ts";
import { aLogin, aUser } from "./builders.ts";

const noInvitation = "not exists (select from invitations where id = $1)";

export const peopleRequests: AuditedRequests = {
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
};

async function anInvitation({ db, loginDeps }: RequestDeps, email = `${canary()}@example.com`) {
  const owner = await aLogin(db, loginDeps);
  const token = makeMailedToken();
  const invitation = { id: randomUUIDv7(), email, role: "viewer", tokenHash: token.hash, invitedBy: owner.id } as const;
  await insertInvitation(db.forAccount(owner.accountId), invitation);
  return { owner, email, id: invitation.id, token: token.text };
}

async function twoMembers(db: Database, loginDeps: LoginDeps) {
  const owner = await aLogin(db, loginDeps);
  return { owner, member: await aUser(db, { accountId: owner.accountId, role: "viewer" }) };
}
