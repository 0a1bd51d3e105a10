import { userInfo } from "node:os";

/**
 * Who does a management action, for the audit. Made once for each request or command. An entry gets the email of a user and the prefix of
 * a key from the database, unless `name` is given.
 */
export interface Actor {
  kind: "user" | "key" | "operator" | "command-line" | "system" | "anonymous";
  id?: string | undefined;
  name?: string | undefined;
  /** An IP address. */
  address?: string | undefined;
  requestId?: string | undefined;
  /** Why an operator does it, in the operator's words. */
  reason?: string | undefined;
}

/** What Postern does by itself, such as a hold by the guard. */
export const systemActor: Actor = { kind: "system" };

/** The operator at a shell of the installation. The name is the one of the operating system, which the operator can choose. */
export function commandLineActor(): Actor {
  return { kind: "command-line", name: nameOfUser() };
}

/** A container may run with a user id that has no name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
