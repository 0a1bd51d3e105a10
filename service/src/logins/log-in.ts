import { randomUUIDv7 } from "node:crypto";
import { hashPassword, isPassword } from "../accounts/password.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { issueAccessToken, type Session, type TokenAuthority } from "./access-token.ts";
import { insertLogin } from "./login-store.ts";
import { countAttempt, forgiveAttempt, type LoginThrottle } from "./login-throttle.ts";
import type { RefreshTokenMaker } from "./refresh-token.ts";

/** What issuing tokens needs; made once per process. */
export interface LoginDesk {
  authority: TokenAuthority;
  refreshTokens: RefreshTokenMaker;
  throttle: LoginThrottle;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string;
}

interface Attempt {
  email: string;
  password: string;
  address: string;
}

/** Unknown and known users get the same answer after the same work: one count, one look-up, one password hash. */
export async function logIn(db: Database, desk: LoginDesk, attempt: Attempt): Promise<Tokens> {
  await countAttempt(db, desk.throttle, attempt);
  const user = await findUserByEmail(db, attempt.email);
  const isRight = await isPassword(attempt.password, user?.passwordHash ?? (await hashOfNobody));
  if (user === undefined || !isRight) throw new AppError("UNAUTHORIZED", "The email or the password is wrong.");
  await forgiveAttempt(db, desk.throttle, attempt);
  if (user.isSuspended) throw suspended();
  return startLogin(db, desk, { userId: user.id, accountId: user.accountId, loginId: randomUUIDv7() });
}

export function suspended(): AppError {
  return new AppError("UNAUTHORIZED", "This account is suspended. Ask the operator of this installation.");
}

const hashOfNobody = hashPassword("nobody has this password");

async function startLogin(db: Database, desk: LoginDesk, session: Session): Promise<Tokens> {
  const refreshToken = desk.refreshTokens.make(session.loginId);
  const now = await insertLogin(db, { id: session.loginId, userId: session.userId, nonce: refreshToken.nonce });
  return { accessToken: await issueAccessToken(desk.authority, session, now), refreshToken: refreshToken.text };
}
