import { refusalOfSuspended } from "../accounts/suspension.ts";
import type { Database, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { issueAccessToken } from "./access-token.ts";
import { anonymousAt, type Client } from "./client.ts";
import type { Tokens } from "./log-in.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type LockedLogin, lockLogin } from "./login-store.ts";
import type { RefreshToken } from "./refresh-token.ts";
import { findCurrentToken, findUsableToken, replaceTokens } from "./refresh-token-store.ts";
import { endSessions } from "./session-store.ts";

type Outcome =
  | { kind: "refreshed"; login: LockedLogin; nonce: Buffer }
  | { kind: "no-login" }
  | { kind: "suspended"; accountId: string }
  | { kind: "reused" };

export interface RefreshedTokens extends Tokens {
  /** The client presented the current token and keeps it. */
  isSameRefreshToken: boolean;
}

/**
 * A login has one current refresh token.
 *
 * 1. The current token, issued less than 90 s ago: it stays the current one.
 * 2. The current token, older: a successor replaces it. The token, its elders and its siblings end 30 s later.
 * 3. A token that was replaced less than 30 s ago: another tab replaced it, or the client lost the response. It gets the current token.
 * 4. A token that was replaced earlier: somebody has a copy. The login ends, with all its tokens.
 */
export async function refreshLogin(
  db: Database,
  deps: LoginDeps,
  text: string,
  { client, expectedLoginId }: { client: Client; expectedLoginId?: string | undefined },
): Promise<RefreshedTokens> {
  const presented = deps.refreshTokens.read(text);
  if (presented === undefined) throw new AppError("UNAUTHORIZED", "This is not a refresh token. Log in again.");
  const { loginId } = presented;
  // Before anything changes: the cookie of a browser may be that of a later log-in in another tab.
  if (expectedLoginId !== undefined && expectedLoginId !== loginId) throw otherSession();

  const outcome = await db.withTransaction((tx) => exchange(tx, presented, deps.refreshTokens.newNonce(), client));
  switch (outcome.kind) {
    case "refreshed": {
      const { userId, accountId, now, secondsLeft } = outcome.login;
      return {
        accessToken: await issueAccessToken(deps.authority, { userId, accountId, loginId }, now),
        refreshToken: deps.refreshTokens.write({ loginId, nonce: outcome.nonce }),
        isSameRefreshToken: outcome.nonce.equals(presented.nonce),
        secondsLeft,
      };
    }
    case "no-login":
      throw new AppError("UNAUTHORIZED", "This login has ended. Log in again.");
    case "suspended":
      throw await refusalOfSuspended(db, outcome.accountId);
    case "reused":
      throw reusedToken();
  }
}

function otherSession(): AppError {
  return new AppError(
    "CONFLICT",
    "The refresh token is of another session than session_id. Refresh without session_id to continue with that session.",
  );
}

export function reusedToken(): AppError {
  return new AppError("UNAUTHORIZED", "This refresh token was used before, so its login has ended. Log in again.");
}

/** Returns the outcome instead of throwing: a throw would roll back the deletion of the login. */
async function exchange(
  tx: Transaction,
  { loginId, nonce }: RefreshToken,
  successor: Buffer,
  client: Client,
): Promise<Outcome> {
  const login = await lockLogin(tx, loginId);
  if (login === undefined) return { kind: "no-login" };
  if (login.isSuspended) return { kind: "suspended", accountId: login.accountId };
  const token = await findUsableToken(tx, loginId, nonce);
  if (token === undefined) {
    await endSessions(tx, [loginId], { action: "session.end-stolen", actor: anonymousAt(client) });
    return { kind: "reused" };
  }
  const current = token.isUsed ? await findCurrentToken(tx, loginId) : nonce;
  if (current !== undefined && (token.isUsed || !token.isDue)) return { kind: "refreshed", login, nonce: current };
  await replaceTokens(tx, loginId, successor, client);
  return { kind: "refreshed", login, nonce: successor };
}
