import { randomUUIDv7 } from "node:crypto";
import { expect, test, vi } from "vitest";
import { authenticatorApp } from "../../test/authenticator-app.ts";
import { aLogin, type TestLogin } from "../../test/builders.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { systemActor } from "../actor.ts";
import { insertLogin } from "./login-store.ts";
import { confirmTotpEnrolment, startTotpEnrolment } from "./manage-totp.ts";
import { listSessions } from "./session-store.ts";

const api = useTestApi();

test("a log-in without a code that commits while TOTP is turned on ends with the other sessions", async () => {
  const { db } = api.database;
  const { app, login } = await anEnrolment();
  const late = await db.withTransaction(async (tx) => {
    expect(await insertLogin(tx, await newLogin(login))).toBeDefined();
    const confirming = confirmTotpEnrolment(db, api.deps.loginDeps, own(login), app.code());
    await vi.waitUntil(isWaiting, { timeout: 10_000 });
    return { confirming };
  });
  expect(await late.confirming).toHaveLength(10);
  expect((await listSessions(db, login.id)).map(({ id }) => id)).toEqual([login.loginId]);
});

test("a log-in that checked the password before TOTP was turned on starts no session", async () => {
  const { app, login } = await anEnrolment();
  const prepared = await newLogin(login);
  await confirmTotpEnrolment(api.database.db, api.deps.loginDeps, own(login), app.code());
  expect(await insertLogin(api.database.db, prepared)).toBeUndefined();
});

async function anEnrolment() {
  const { db } = api.database;
  const login = await aLogin(db, api.deps.loginDeps);
  const proof = { password: login.password, address: "192.0.2.1" };
  const { secret } = await startTotpEnrolment(db, api.deps.loginDeps, own(login), proof);
  return { login, app: authenticatorApp(secret) };
}

function own({ id, loginId, accountId }: TestLogin) {
  return { userId: id, loginId, accountId, actor: systemActor };
}

async function newLogin({ id, accountId }: { id: string; accountId: string }) {
  const [user] = await api.database.db.query<{ hash: string }>({
    name: "hash-of-user",
    text: "select password_hash as hash from users where id = $1",
    values: [id],
  });
  const nonce = api.deps.loginDeps.refreshTokens.newNonce();
  const client = { address: "192.0.2.1" };
  return { id: randomUUIDv7(), userId: id, accountId, nonce, passwordHash: user?.hash ?? "", client };
}

async function isWaiting(): Promise<boolean> {
  const rows = await api.database.db.query({
    name: "waiting-statements",
    text: "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  });
  return rows.length > 0;
}
