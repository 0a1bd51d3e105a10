import type { Actor } from "../../actor.ts";
import type { Caller, UserCredential } from "./authenticate.ts";

/** The user and the login behind a JWT, for routes that accept nothing else. */
export function requireUser({ credential, accountId, db }: Caller): UserCredential & {
  accountId: string;
  actor: Actor;
} {
  if (credential.kind !== "jwt") throw new Error("a route for users only accepted an API key");
  return { ...credential, accountId, actor: db.actor };
}
