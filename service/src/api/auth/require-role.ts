import { isAtLeast } from "../../accounts/role.ts";
import { AppError } from "../../errors.ts";
import type { Caller } from "./authenticate.ts";
import type { RouteAccess } from "./route-access.ts";

/** 403 for a user without the role. A key has scopes instead of a role. A route without an entry is open to nobody. */
export function requireRole({ credential }: Caller, access: RouteAccess | undefined): void {
  if (access === undefined) throw new Error("the route has no entry in route-access.ts");
  if (credential.kind !== "jwt" || access.public || access.role === "any-user") return;
  const { role } = credential;
  if (isAtLeast(role, access.role)) return;
  throw new AppError(
    "FORBIDDEN",
    `This needs the role ${access.role}, and your role in this account is ${role}. An owner of the account can change your role.`,
  );
}
