import type { LogInBody, Tokens } from "./api-types.ts";
import type { LoginSession } from "./credentials.ts";
import type { Requester } from "./request.ts";
import type { Result } from "./result.ts";

/** The session replaces a token this long before it expires, so that no token expires during a request. */
const marginSeconds = 30;

export function createLoginSession(login: LogInBody, request: Requester, now: () => number): LoginSession {
  let current: { tokens: Tokens; renewAt: number } | undefined;
  let renewal: Promise<Result<string>> | undefined;

  const renew = async (): Promise<Result<string>> => {
    const result = await obtainTokens(request, login, current?.tokens.refresh_token);
    if (result.error !== null) return result;
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
      if (current !== undefined && matches(current.tokens.access_token)) current = undefined;
    },
  };
}

async function obtainTokens(
  request: Requester,
  login: LogInBody,
  refreshToken: string | undefined,
): Promise<Result<Tokens>> {
  if (refreshToken !== undefined) {
    const body = { refresh_token: refreshToken };
    const refreshed = await request(
      "POST /api/v1/auth/refresh",
      { body },
      { credential: "none", isSafeToRetry: false },
    );
    if (refreshed.error === null) return refreshed;
  }
  return request("POST /api/v1/auth/login", { body: login }, { credential: "none" });
}
