import type { AcceptDeps } from "../accept/accept-send.ts";
import type { ApiDeps } from "../api/http/api-server.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { DomainDeps } from "../domains/register-domain.ts";
import type { Log } from "../log.ts";
import { createTokenAuthority } from "../logins/access-token.ts";
import { createLoginThrottle } from "../logins/login-throttle.ts";
import { createRefreshTokenMaker } from "../logins/refresh-token.ts";
import type { Metrics } from "../metrics.ts";
import { checkReadiness, shareForASecond } from "../status/readiness.ts";

interface Given {
  db: Database;
  log: Log;
  metrics: Metrics;
  domainDeps: DomainDeps | undefined;
  acceptDeps: AcceptDeps;
  feedbackEndpoint?: ApiDeps["feedbackEndpoint"];
}

/** Wires what the routes need from the configuration; the tests wire the same way. */
export function createApiDeps(
  config: Config,
  { db, log, metrics, domainDeps, acceptDeps, feedbackEndpoint }: Given,
): ApiDeps {
  const { loginDeps, apiKeyIssuer } = createCredentialDeps(config);
  return {
    log,
    metrics,
    readiness: shareForASecond(() => checkReadiness(db)),
    authenticator: { db, peppers: config.secrets.apiKeyPepper, authority: loginDeps.authority },
    loginDeps,
    apiKeyIssuer,
    acceptDeps,
    domainDeps,
    feedbackEndpoint,
    http: config.http,
  };
}

export type CredentialDeps = Pick<ApiDeps, "loginDeps" | "apiKeyIssuer">;

/** They make logins and API keys that every process with the same secrets accepts. */
export function createCredentialDeps(config: Config): CredentialDeps {
  const { apiKeyPepper, tokenSigningKey } = config.secrets;
  return {
    loginDeps: {
      authority: createTokenAuthority(config.http.publicUrl, config.cellCode, tokenSigningKey),
      refreshTokens: createRefreshTokenMaker(config.cellCode, tokenSigningKey),
      throttle: createLoginThrottle(tokenSigningKey.current),
    },
    apiKeyIssuer: { pepper: apiKeyPepper.current, cellCode: config.cellCode },
  };
}
