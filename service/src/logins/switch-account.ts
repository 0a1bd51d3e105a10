import { randomUUIDv7 } from "node:crypto";
import { listMemberships } from "../accounts/membership-store.ts";
import { refusalOfSuspended } from "../accounts/suspension.ts";
import type { Database, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { issueAccessToken } from "./access-token.ts";
import { anonymousAt, type Client } from "./client.ts";
import type { Tokens } from "./log-in.ts";
import type { LoginDeps } from "./login-deps.ts";
import { lockLogin } from "./login-store.ts";
import { reusedToken } from "./refresh-login.ts";
import type { RefreshToken } from "./refresh-token.ts";
import { findUsableToken } from "./refresh-token-store.ts";
import { endSessions } from "./session-store.ts";
import { insertSwitchedLogin, shareUser } from "./switch-store.ts";

interface AccountSwitch {
  userId: string;
  /** The login of the request and its account. */
  loginId: string;
  fromAccountId: string;
  accountId: string;
  client: Client;
  /** The authentic cookies of a browser, which the response replaces. Undefined when the refresh token goes into the body. */
  cookies?: RefreshToken[] | undefined;
}

type Outcome =
  | { kind: "switched"; now: number; secondsLeft: number }
  | { kind: "not-a-member" | "needs-cookie" | "is-switched" | "reused" };

/**
 * A token names one account, so another account of the same person needs a new login. An access token, which may be stolen, must not
 * become a login that its owner cannot end:
 *
 * 1. With the cookie of the login, which only its browser has: the new login replaces it.
 * 2. A login of a browser without its cookie: refused.
 * 3. Other logins stay open, and the new one ends with them. It starts no further one.
 */
export async function switchAccount(db: Database, deps: LoginDeps, request: AccountSwitch): Promise<Tokens> {
  const { userId, accountId } = request;
  if (request.fromAccountId === accountId) throw sameAccount();
  const membership = (await listMemberships(db, userId)).find((each) => each.accountId === accountId);
  if (membership === undefined) throw notAMember();
  if (membership.isSuspended) throw await refusalOfSuspended(db, accountId);
  const token = { loginId: randomUUIDv7(), nonce: deps.refreshTokens.newNonce() };
  const outcome = await db.withTransaction((tx) => replaceOrDerive(tx, request, token));
  switch (outcome.kind) {
    case "switched":
      return {
        accessToken: await issueAccessToken(deps.authority, { userId, accountId, loginId: token.loginId }, outcome.now),
        refreshToken: deps.refreshTokens.write(token),
        secondsLeft: outcome.secondsLeft,
      };
    case "not-a-member":
      throw notAMember();
    case "needs-cookie":
      throw needsCookie();
    case "is-switched":
      throw isSwitched();
    case "reused":
      throw reusedToken();
  }
}

/** Returns the outcome instead of throwing: a throw would roll back the deletion of the login. */
async function replaceOrDerive(tx: Transaction, request: AccountSwitch, token: RefreshToken): Promise<Outcome> {
  const { userId, loginId, accountId, client, cookies } = request;
  await shareUser(tx, userId);
  const from = await lockLogin(tx, loginId);
  // It has ended since the request was authenticated.
  if (from === undefined) return { kind: "not-a-member" };
  const own = cookies?.find((cookie) => cookie.loginId === loginId);
  if (own === undefined && from.isBrowser) return { kind: "needs-cookie" };
  if (own === undefined && from.originId !== null) return { kind: "is-switched" };
  if (own !== undefined && (await findUsableToken(tx, loginId, own.nonce)) === undefined) {
    await endSessions(tx, [loginId], { action: "session.end-stolen", actor: anonymousAt(client) });
    return { kind: "reused" };
  }
  const originId = own === undefined ? loginId : from.originId;
  const inserted = await insertSwitchedLogin(tx, {
    id: token.loginId,
    nonce: token.nonce,
    userId,
    accountId,
    fromLoginId: loginId,
    originId,
    isBrowser: cookies !== undefined,
    client,
  });
  if (inserted === undefined) return { kind: "not-a-member" };
  // Nobody could end the session of a cookie that the response replaces.
  const replaced = (cookies ?? []).map((cookie) => cookie.loginId).filter((id) => id !== originId);
  await endSessions(tx, replaced, { action: "session.replace", actor: anonymousAt(client) });
  return { kind: "switched", ...inserted };
}

function notAMember(): AppError {
  return new AppError(
    "NOT_FOUND",
    "You are not a member of an account with this id. GET /api/v1/auth/me lists your accounts.",
  );
}

function sameAccount(): AppError {
  return new AppError("CONFLICT", "The access token is for this account already. Continue with it.");
}

function isSwitched(): AppError {
  return new AppError("CONFLICT", "These tokens come from a switch. Switch with the tokens of the log-in instead.");
}

function needsCookie(): AppError {
  return new AppError(
    "UNAUTHORIZED",
    "The access token belongs to a browser session. Send `browser` and the cookie of that session; refresh first if another tab has " +
      "changed it.",
  );
}
