import type { GivenCode } from "../../logins/check-code.ts";
import { requireOwnCode } from "../../logins/manage-totp.ts";
import type { ApiDeps } from "../http/api-server.ts";
import type { Caller } from "./authenticate.ts";
import { requireUser } from "./require-user.ts";

/** Throws 401 unless the user has sent an unused code of the own second factor, or has none. The code belongs to the user in all accounts. */
export function requireCode({ authenticator, loginDeps }: Pick<ApiDeps, "authenticator" | "loginDeps">) {
  return (caller: Caller, given: GivenCode): Promise<void> =>
    requireOwnCode(authenticator.db, loginDeps, requireUser(caller), given);
}
