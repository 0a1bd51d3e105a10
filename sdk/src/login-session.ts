import type { LogInBody, Tokens } from "./api-types.ts";
import type { Ask } from "./ask.ts";
import type { Result } from "./result.ts";

/** A token is replaced before it expires, so that none expires on its way. */
const marginSeconds = 30;

export interface Session {
  /** An access token that is fresh; calls that need one at the same time share one login. */
  token(): Promise<Result<string>>;
  /** The next call logs in again if the token at hand is meant. */
  forget(isMeant: (accessToken: string) => boolean): void;
}

export function createSession(login: LogInBody, ask: Ask, now: () => number): Session {
  let current: { tokens: Tokens; renewAt: number } | undefined;
  let underWay: Promise<Result<string>> | undefined;

  const renew = async (): Promise<Result<string>> => {
    const result = await obtainTokens(ask, login, current?.tokens.refresh_token);
    if (result.error !== null) return result;
    const tokens = result.data;
    current = { tokens, renewAt: now() + (tokens.expires_in - marginSeconds) * 1000 };
    return { data: tokens.access_token, error: null };
  };

  return {
    async token() {
      if (current !== undefined && now() < current.renewAt) return { data: current.tokens.access_token, error: null };
      underWay ??= renew().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    forget(isMeant) {
      if (current !== undefined && isMeant(current.tokens.access_token)) current = undefined;
    },
  };
}

async function obtainTokens(ask: Ask, login: LogInBody, refreshToken: string | undefined): Promise<Result<Tokens>> {
  if (refreshToken !== undefined) {
    const body = { refresh_token: refreshToken };
    const refreshed = await ask("POST /api/v1/auth/refresh", { body }, { credential: "none", isRepeatable: false });
    if (refreshed.error === null) return refreshed;
  }
  return ask("POST /api/v1/auth/login", { body: login }, { credential: "none" });
}
