import { authenticatorApp } from "./authenticator-app.ts";
import { aLogin, type TestLogin } from "./builders.ts";
import type { useTestApi } from "./use-test-api.ts";

type Api = ReturnType<typeof useTestApi>;
type Role = NonNullable<NonNullable<Parameters<typeof aLogin>[2]>["role"]>;

export interface TotpUser extends TestLogin {
  app: ReturnType<typeof authenticatorApp>;
  recoveryCodes: string[];
}

/** A user with TOTP, who has used up the code of this step. `code(1)` is valid for a minute, whenever a step ends. */
export async function aTotpUser(api: Api, options: { accountId?: string; role?: Role } = {}): Promise<TotpUser> {
  const login = await aLogin(api.database.db, api.deps.loginDeps, options);
  const { secret } = (await post(api, login, "totp", { password: login.password })).json();
  const app = authenticatorApp(secret);
  const { json } = await post(api, login, "totp/confirm", { totp_code: app.code() });
  return { ...login, app, recoveryCodes: json().recovery_codes };
}

export function post(api: Api, { accessToken }: Pick<TestLogin, "accessToken">, path: string, body: object) {
  return api.call({ method: "POST", path: `/api/v1/auth/${path}`, token: accessToken, body });
}

export function logInWith(
  api: Api,
  { email, password }: { email: string; password: string },
  body: object = {},
  remoteAddress = "203.0.113.1",
) {
  return api.call({
    method: "POST",
    path: "/api/v1/auth/login",
    body: { email, password, ...body },
    remoteAddress,
  });
}
