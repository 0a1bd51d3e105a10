import { getLoginName, type User } from "../accounts/user-store.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Client } from "./client.ts";
import { checkPassword } from "./log-in.ts";
import type { LoginDeps } from "./login-deps.ts";
import { addressBlock, clearAttempts } from "./login-throttle.ts";

export interface PasswordProof extends Client {
  password: string;
}

/** Counts like a log-in, so that a stolen session cannot guess the password. `atIssuer` says what a user of the OIDC issuer does instead. */
export async function requireOwnPassword(
  db: Database,
  deps: LoginDeps,
  userId: string,
  { password, address, userAgent, requestId }: PasswordProof,
  atIssuer: string,
): Promise<User & { email: string }> {
  const { email, isOidc } = await getLoginName(db, userId);
  if (isOidc) throw new AppError("CONFLICT", `You log in by OIDC and have no password here. ${atIssuer}`);
  const attempt = { email, password, address, userAgent, requestId };
  const user = await deps.slots.run(addressBlock(address), () => checkPassword(db, deps, attempt));
  if (user?.id !== userId)
    throw new AppError("UNAUTHORIZED", "This is not your password. Send the one you log in with.");
  await clearAttempts(db, deps.throttle, attempt);
  return { ...user, email };
}
