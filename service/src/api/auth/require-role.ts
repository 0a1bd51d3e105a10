import { isAtLeast, type Role } from "../../accounts/role.ts";
import { AppError } from "../../errors.ts";
import type { CallerAccess } from "./route-access.ts";

/** 403 for a user without the role. */
export function requireRole(role: Role, access: CallerAccess): void {
  if (access.role === "any-user" || isAtLeast(role, access.role)) return;
  throw new AppError(
    "FORBIDDEN",
    `This needs the role ${access.role}, and your role in this account is ${role}. An owner of the account can change your role.`,
  );
}
