import { randomUUIDv7 } from "node:crypto";
import { hashPassword, isPassword } from "../accounts/password.ts";
import { refusalOfSuspended } from "../accounts/suspension.ts";
import { findUserByEmail, type User } from "../accounts/user-store.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { issueAccessToken } from "./access-token.ts";
import { checkCode, clearWrongCodes, failureOfCode, type GivenCode, wrongCode } from "./check-code.ts";
import type { Client } from "./client.ts";
import { noteFailedLogin } from "./failed-log-in.ts";
import type { LoginDeps } from "./login-deps.ts";
import { insertLogin, loginDays } from "./login-store.ts";
import { addressBlock, clearAttempts, countAttempt } from "./login-throttle.ts";
import type { UsedCode } from "./totp-store.ts";

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Until the login ends, however often it is refreshed. */
  secondsLeft: number;
}

interface PasswordAttempt extends Client {
  email: string;
  password: string;
}

type Attempt = PasswordAttempt & GivenCode & { isBrowser?: boolean };

/** Unknown and known users get the same answer after the same work: one attempt count, one lookup, one password hash. */
export async function logIn(db: Database, deps: LoginDeps, attempt: Attempt): Promise<Tokens> {
  const user = await deps.slots.run(addressBlock(attempt.address), () => checkPassword(db, deps, attempt));
  if (user === undefined) throw wrongPassword();
  await clearAttempts(db, deps.throttle, attempt);
  const { accountId } = user;
  if (accountId === null) throw withoutMembership();
  if (user.isSuspended) throw await refusalOfSuspended(db, accountId);
  const { isBrowser = false } = attempt;
  try {
    const usedCode = await checkCode(db, deps, user.id, "log-in", attempt);
    const tokens = await startLogin(db, deps, { ...user, accountId, usedCode, isBrowser }, attempt);
    if (usedCode !== undefined) await clearWrongCodes(db, deps, user.id, "log-in", usedCode);
    return tokens;
  } catch (error) {
    const failure = failureOfCode(error);
    if (failure !== undefined) await noteFailedLogin(db, deps, attempt, failure);
    throw error;
  }
}

/** Undefined for a wrong password. The count is part of the slot: a log-in that gets no slot must not count as a failure. */
export async function checkPassword(
  db: Database,
  deps: LoginDeps,
  attempt: PasswordAttempt,
): Promise<User | undefined> {
  await countAttempt(db, deps.throttle, attempt);
  const user = await findUserByEmail(db, attempt.email);
  const isRight = await isPassword(attempt.password, user?.passwordHash ?? (await dummyHash));
  if (!isRight) await noteFailedLogin(db, deps, attempt, { wrong: "password" });
  return isRight ? user : undefined;
}

function wrongPassword(): AppError {
  return new AppError("UNAUTHORIZED", "The email or the password is wrong.");
}

function withoutMembership(): AppError {
  return new AppError(
    "UNAUTHORIZED",
    "You are not a member of any account any more. Ask an owner of the account to invite you again.",
  );
}

const dummyHash = hashPassword("no user has this password");

interface LoginUser {
  id: string;
  accountId: string;
  passwordHash: string;
  /** Required for a user with TOTP: the statement that starts the login uses it up. */
  usedCode?: UsedCode | undefined;
  isBrowser?: boolean;
}

/** `passwordHash` and `usedCode` are those that were checked: a change in between ends the attempt. */
async function startLogin(db: Database, deps: LoginDeps, user: LoginUser, client: Client): Promise<Tokens> {
  const [loginId, nonce] = [randomUUIDv7(), deps.refreshTokens.newNonce()];
  const { id: userId, accountId, passwordHash, usedCode, isBrowser = false } = user;
  const login = { id: loginId, userId, accountId, nonce, passwordHash, usedCode, client, isBrowser };
  const now = await insertLogin(db, login);
  if (now === undefined) throw usedCode === undefined ? wrongPassword() : wrongCode();
  const session = { userId, accountId, loginId };
  return {
    accessToken: await issueAccessToken(deps.authority, session, now),
    refreshToken: deps.refreshTokens.write({ loginId, nonce }),
    secondsLeft: loginDays * 24 * 3600,
  };
}
