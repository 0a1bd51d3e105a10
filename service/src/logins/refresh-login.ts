import type { Database, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { issueAccessToken } from "./access-token.ts";
import { type LoginDeps, suspended, type Tokens } from "./log-in.ts";
import { deleteLogin, insertRefreshToken, lockLogin, type OpenLogin, useRefreshToken } from "./login-store.ts";
import type { RefreshToken } from "./refresh-token.ts";

type Outcome =
  | { kind: "refreshed"; login: OpenLogin & { now: number } }
  | { kind: "no-login" }
  | { kind: "suspended" }
  | { kind: "reused" };

/** A refresh token works once. A repeat within 30 s gets another successor; a later repeat suggests theft and ends the login. */
export async function refreshLogin(db: Database, deps: LoginDeps, text: string): Promise<Tokens> {
  const presented = deps.refreshTokens.read(text);
  if (presented === undefined) throw new AppError("UNAUTHORIZED", "This is not a refresh token. Log in again.");
  const successor = deps.refreshTokens.make(presented.loginId);

  const outcome = await db.withTransaction((tx) => exchange(tx, presented, successor.nonce));
  switch (outcome.kind) {
    case "refreshed": {
      const { userId, accountId, now } = outcome.login;
      const session = { userId, accountId, loginId: presented.loginId };
      return { accessToken: await issueAccessToken(deps.authority, session, now), refreshToken: successor.text };
    }
    case "no-login":
      throw new AppError("UNAUTHORIZED", "This login has ended. Log in again.");
    case "suspended":
      throw suspended();
    case "reused":
      throw new AppError("UNAUTHORIZED", "This refresh token was used before, so its login has ended. Log in again.");
  }
}

/** Returns the outcome instead of throwing: a throw would roll back the deletion of the login. */
async function exchange(tx: Transaction, presented: RefreshToken, successorNonce: Buffer): Promise<Outcome> {
  const login = await lockLogin(tx, presented.loginId);
  if (login === undefined) return { kind: "no-login" };
  if (login.isSuspended) return { kind: "suspended" };
  if (!(await useRefreshToken(tx, presented.loginId, presented.nonce))) {
    await deleteLogin(tx, presented.loginId);
    return { kind: "reused" };
  }
  await insertRefreshToken(tx, presented.loginId, successorNonce);
  return { kind: "refreshed", login };
}
