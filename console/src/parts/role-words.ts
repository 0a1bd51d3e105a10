export const roles = ["viewer", "developer", "owner"] as const;

export type Role = (typeof roles)[number];

/** What a member with the role may do. */
export const roleWords: Record<Role, string> = {
  viewer: "reads mail and its outcome",
  developer: "reads, sends, and manages domains, suppressions and keys",
  owner: "reads, sends, and manages everything in the account",
};
