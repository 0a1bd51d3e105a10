import type { Database } from "../src/db/database.ts";
import { confirmTotpEnrolment, startTotpEnrolment } from "../src/logins/manage-totp.ts";
import { type AuditedRequests, by, facts, named, type RequestDeps } from "./audited-request.ts";
import { authenticatorApp } from "./authenticator-app.ts";
import { aLogin, type TestLogin } from "./builders.ts";

const isOn = "exists (select from users where id = $1 and totp_enabled_at is not null)";

export const totpRequests: AuditedRequests = {
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
};

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

async function stepOf(db: Database, userId: string): Promise<number> {
  const [row] = await db.query<{ step: number }>({
    name: "last-step",
    text: "select totp_last_step as step from users where id = $1",
    values: [userId],
  });
  return row?.step ?? 0;
}
