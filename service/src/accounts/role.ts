/** What a member may do in an account; each role may also do what the ones before it may. */
export const roles = ["viewer", "developer", "owner"] as const;

export type Role = (typeof roles)[number];

export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
