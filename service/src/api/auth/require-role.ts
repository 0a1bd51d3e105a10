import { isAtLeast, type Role } from "../../accounts/role.ts";
import { AppError } from "../../errors.ts";
import type { RouteAccess } from "./route-access.ts";

type Credential = { kind: "api-key" } | { kind: "jwt"; role: Role; needsTotp: boolean };

/**
 * 403 for a user without the role. A key has scopes instead of a role. A route without an entry is open to nobody. A user without TOTP, in
 * an account that requires it, may call only the routes that concern the user alone: there they enrol.
 */
export function requireRole(credential: Credential, access: RouteAccess | undefined): void {
  if (access === undefined) throw new Error("the route has no entry in route-access.ts");
  if (credential.kind !== "jwt" || access.public || access.role === "any-user") return;
  const { role, needsTotp } = credential;
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
