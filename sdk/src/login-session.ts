import type { LogInBody, Tokens } from "./api-types.ts";
import type { LoginSession } from "./credentials.ts";
import type { Requester } from "./request.ts";
import type { Result } from "./result.ts";

/** The session replaces a token this long before it expires, so that no token expires during a request. */
const marginSeconds = 30;

export function createLoginSession(login: LogInBody, request: Requester, now: () => number): LoginSession {
  let current: { tokens: Tokens; renewAt: number } | undefined;
  let renewal: Promise<Result<string>> | undefined;
  /** A code counts once, so with one a refusal is final: each further log-in would be a wrong code. */
  let refusal: Result<Tokens> | undefined;
  const hasCode = login.totp_code !== undefined || login.recovery_code !== undefined;

  const renew = async (): Promise<Result<string>> => {
    const result = refusal ?? (await obtainTokens(request, { login, hasCode }, current?.tokens.refresh_token));
    if (result.error !== null) {
      if (hasCode && result.error.status === 401) refusal = result;
      return result;
    }
    const tokens = result.data;
    current = { tokens, renewAt: now() + (tokens.expires_in - marginSeconds) * 1000 };
    return { data: tokens.access_token, error: null };
  };

  return {
    async token() {
      if (current !== undefined && now() < current.renewAt) return { data: current.tokens.access_token, error: null };
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
      return renewal;
    },
    discard(matches) {
      if (current === undefined || !matches(current.tokens.access_token)) return;
      // With a code only the refresh token can continue.
      current = hasCode ? { ...current, renewAt: 0 } : undefined;
    },
  };
}

/** Logs in again only when the service has refused the refresh token: after other errors the token may still be valid. */
async function obtainTokens(
  request: Requester,
  { login, hasCode }: { login: LogInBody; hasCode: boolean },
  refreshToken: string | undefined,
): Promise<Result<Tokens>> {
  if (refreshToken !== undefined) {
    const body = { refresh_token: refreshToken };
    // A retry is safe: for 30 seconds the service gives the same tokens again.
    const refreshed = await request("POST /api/v1/auth/refresh", { body }, { credential: "none" });
    if (refreshed.error === null || refreshed.error.status !== 401 || hasCode) return refreshed;
  }
  return request("POST /api/v1/auth/login", { body: login }, { credential: "none", isSafeToRetry: !hasCode });
}
