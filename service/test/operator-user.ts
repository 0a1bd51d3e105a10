import { setOperator } from "../src/accounts/operator-store.ts";
import { aTotpUser, logInWith, type TotpUser } from "./totp-user.ts";
import type { useTestApi } from "./use-test-api.ts";

type Api = ReturnType<typeof useTestApi>;

/** An operator who has logged in with a code, so that the token opens the operator routes. */
export async function anOperator(api: Api, options: Parameters<typeof aTotpUser>[1] = {}): Promise<TotpUser> {
  const user = await aTotpUser(api, options);
  await setOperator(api.database.db, user.email, true);
  const { json } = await logInWith(api, user, { totp_code: user.app.code(1) });
  const { access_token: accessToken, refresh_token: refreshToken } = json();
  return { ...user, accessToken, refreshToken };
}
