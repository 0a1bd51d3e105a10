import { isAtLeast } from "../../accounts/role.ts";
import { AppError } from "../../errors.ts";
import type { FoundLogin } from "../../logins/login-store.ts";
import { type OperatorState, operatorLoginHours } from "../../logins/operator-login.ts";
import type { CallerAccess } from "./route-access.ts";

type RoleOfLogin = Pick<FoundLogin, "role" | "needsTotp" | "operator">;

/**
 * 403 for a user without the role. A user without TOTP, in an account that requires it, may call only the routes that concern the user
 * alone: there they enrol.
 */
export function requireRole({ role, needsTotp, operator }: RoleOfLogin, access: CallerAccess): void {
  if (access.role === "any-user") return;
  if (access.role === "operator") {
    requireOperatorState(operator);
    return;
  }
  if (needsTotp) throw withoutTotp();
  if (isAtLeast(role, access.role)) return;
  throw new AppError(
    "FORBIDDEN",
    `This needs the role ${access.role}, and your role in this account is ${role}. An owner of the account can change your role.`,
  );
}

function withoutTotp(): AppError {
  return new AppError(
    "FORBIDDEN",
    "This account requires two-factor authentication, and you have not set it up. Start at POST /api/v1/auth/totp.",
  );
}

/** An operator hears what is missing. Everybody else hears only that the path is not for them. */
export function requireOperatorState(state: OperatorState | null): void {
  switch (state) {
    case "operator":
      return;
    case "totp-off":
      throw new AppError(
        "FORBIDDEN",
        "Operators need two-factor authentication, and you have turned it off. Start at POST /api/v1/auth/totp, then ask for " +
          "`postern admin set-operator` again.",
      );
    case "new-totp":
      throw new AppError(
        "FORBIDDEN",
        "You have set up two-factor authentication anew since you became an operator. Ask for `postern admin set-operator` again.",
      );
    case "login-without-totp":
      throw new AppError(
        "FORBIDDEN",
        "This login did not use a code of your authenticator app, which operators need. Log in again with totp_code; a recovery code is " +
          "not enough.",
      );
    case "login-too-old":
      throw new AppError(
        "FORBIDDEN",
        `Operators need a log-in of the last ${operatorLoginHours} hours, and this one is older. Log in again with totp_code; refreshing ` +
          "the token is not enough.",
      );
    case "not-an-operator":
    case null:
      throw new AppError("FORBIDDEN", "Your user may not call this path.");
  }
}
