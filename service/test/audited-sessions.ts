import { randomUUIDv7 } from "node:crypto";
import type { Database } from "../src/db/database.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { type AuditedRequests, by, named } from "./audited-request.ts";
import { aLogin, anAccount, aUser } from "./builders.ts";

const hasLogin = (condition: string) => `exists (select from logins where ${condition})`;

export const sessionRequests: AuditedRequests = {
  "POST /api/v1/auth/login": async ({ db }) => {
    const { email, password, accountId, id } = await aUser(db);
    const entry = { actorName: email, targetName: email, before: null, after: { second_factor: null } };
    const isDone = hasLogin("user_id = $1");
    const path = "/api/v1/auth/login";
    return { accountId, path, body: { email, password }, isDone, subject: id, entry, secrets: [password] };
  },
  "POST /api/v1/auth/logout": async ({ db, loginDeps }) => {
    const user = await aLogin(db, loginDeps);
    const entry = { ...named(user), before: { session_ids: [user.loginId] }, after: null };
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
    const entry = { ...named(user), before: null, after: {} };
    const isDone = hasLogin("account_id = $1");
    const request = { path: "/api/v1/auth/switch", body: { tenant_id: accountId } };
    return { ...by(user), ...request, accountId, isDone, subject: accountId, entry };
  },
  "POST /api/v1/auth/password": async ({ db, loginDeps }) => {
    const { user, otherId } = await twoSessions(db, loginDeps);
    const newPassword = "another password for tests";
    const request = {
      path: "/api/v1/auth/password",
      body: { current_password: user.password, new_password: newPassword },
    };
    const isDone = `not ${hasLogin("id = $1")}`;
    const entry = { ...named(user), before: null, after: null };
    const secrets = [...by(user).secrets, newPassword];
    return { ...by(user), ...request, isDone, subject: otherId, entry, secrets };
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
};

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
