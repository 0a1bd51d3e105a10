import { randomUUIDv7 } from "node:crypto";
import { listMemberships } from "../accounts/membership-store.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { issueAccessToken } from "./access-token.ts";
import type { Client } from "./client.ts";
import { suspended, type Tokens } from "./log-in.ts";
import type { LoginDeps } from "./login-deps.ts";
import { insertLoginForAccount } from "./login-store.ts";

/** A token names one account, so another account of the same person needs a new login. The login of the request stays open. */
export async function switchAccount(
  db: Database,
  deps: LoginDeps,
  { userId, loginId, accountId }: { userId: string; loginId: string; accountId: string },
  client: Client,
): Promise<Tokens> {
  const membership = (await listMemberships(db, userId)).find((each) => each.accountId === accountId);
  if (membership === undefined) throw notAMember();
  if (membership.isSuspended) throw suspended();
  const newLoginId = randomUUIDv7();
  const nonce = deps.refreshTokens.newNonce();
  const inserted = await insertLoginForAccount(db, { id: newLoginId, accountId, nonce, fromLoginId: loginId, client });
  // The login of the request or the membership has ended in the meantime.
  if (inserted === undefined) throw notAMember();
  const session = { userId, accountId, loginId: newLoginId };
  return {
    accessToken: await issueAccessToken(deps.authority, session, inserted.now),
    refreshToken: deps.refreshTokens.write({ loginId: newLoginId, nonce }),
    secondsLeft: inserted.secondsLeft,
  };
}

function notAMember(): AppError {
  return new AppError(
    "NOT_FOUND",
    "You are not a member of an account with this id. GET /api/v1/auth/me lists your accounts.",
  );
}
