import { z } from "zod";
import type { Membership } from "../../../accounts/membership-store.ts";
import { roles } from "../../../accounts/role.ts";

export const roleField = z
  .enum(roles)
  .describe(
    "`viewer` reads, `developer` also sends and manages domains, suppressions and keys, `owner` also manages members",
  );

export const switchBody = z
  .strictObject({
    tenant_id: z.guid().describe("Id of the account, from `GET /api/v1/auth/me`"),
    browser: z
      .boolean()
      .optional()
      .describe("`true`: the new refresh token replaces the one in the cookie of the browser"),
  })
  .meta({ example: { tenant_id: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f" } });

export const meResponse = z
  .object({
    user_id: z.uuid(),
    email: z.string().meta({ example: "ada@example.com" }),
    is_operator: z.boolean().describe("Whether the user is an operator of the installation"),
    log_in: z
      .object({
        password: z.boolean().describe("With a password of this installation"),
        oidc: z.boolean().describe("At the OIDC issuer, which also asks for a second factor"),
        totp: z.boolean().describe("Two-factor authentication of this installation is on"),
      })
      .describe("How the user logs in"),
    tenant_id: z.uuid().describe("The account that the access token is for"),
    role: roleField,
    memberships: z
      .array(
        z.object({
          tenant_id: z.uuid(),
          name: z.string().meta({ example: "Acme" }),
          role: roleField,
          suspended: z.boolean(),
        }),
      )
      .describe("All accounts of the user; `POST /api/v1/auth/switch` gives a token for another one"),
  })
  .meta({ id: "Me", description: "The user behind an access token" });

export function toMemberships(memberships: Membership[]) {
  return memberships.map(({ accountId, accountName, role, isSuspended }) => ({
    tenant_id: accountId,
    name: accountName,
    role,
    suspended: isSuspended,
  }));
}
