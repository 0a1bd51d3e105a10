import { isAtLeast, type Role } from "../../accounts/role.ts";
import { AppError } from "../../errors.ts";
import type { CallerAccess } from "./route-access.ts";

/**
 * 403 for a user without the role. A user without TOTP, in an account that requires it, may call only the routes that concern the user
 * alone: there they enrol.
 */
export function requireRole({ role, needsTotp }: { role: Role; needsTotp: boolean }, access: CallerAccess): void {
  if (access.role === "any-user") return;
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
