import { setOperator } from "../src/accounts/operator-store.ts";
import type { Database } from "../src/db/database.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { aLogin, type TestLogin } from "./builders.ts";
import { change } from "./send-rows.ts";

/** An operator whose token opens the operator routes. Stored directly, to save the cost of enrolment and log-in. */
export async function anOperatorLogin(
  db: Database,
  loginDeps: LoginDeps,
  options: Parameters<typeof aLogin>[2] = {},
): Promise<TestLogin> {
  const login = await aLogin(db, loginDeps, options);
  await turnTotpOn(db, login.id);
  await change(db, "update logins set totp_login_at = now() where id = $1", [login.loginId]);
  await setOperator(db, login.email, true);
  return login;
}

/** Since yesterday, without a secret: an operator needs it. */
export async function turnTotpOn(db: Database, userId: string): Promise<void> {
  await change(db, "update users set totp_enabled_at = now() - interval '1 day' where id = $1", [userId]);
}
