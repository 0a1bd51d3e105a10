import type { ClaimRule } from "../oidc-settings.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** A membership that the rules give. */
export interface Grant {
  accountId: string;
  role: ClaimRule["role"];
}

/** One grant per account, in the order of the rules. Of several roles in an account the person gets the one that may do most. */
export function mapClaims(rules: ClaimRule[], claims: Claims): Grant[] {
  const roles = new Map<string, ClaimRule["role"]>();
  for (const { account, role } of rules.filter((rule) => applies(rule, claims))) {
    if (roles.get(account) !== "developer") roles.set(account, role);
  }
  return [...roles].map(([accountId, role]) => ({ accountId, role }));
}

function applies({ claim, value }: ClaimRule, claims: Claims): boolean {
  if (claim === "email") return verifiedEmail(claims) === value;
  const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return Array.isArray(given) ? given.includes(value) : given === value;
}

const maxEmailLength = 254;

/** At many issuers people enter any address; only a verified one says who they are. */
export function verifiedEmail({ email, email_verified }: Claims): string | undefined {
  if (email_verified !== true || typeof email !== "string") return undefined;
  return email.length <= maxEmailLength && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) ? email : undefined;
}
