import type { AcceptDesk } from "../accept/accept-send.ts";
import type { ApiParts } from "../api/http/api-server.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { DomainDesk } from "../domains/register-domain.ts";
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
  domainDesk: DomainDesk | undefined;
  acceptDesk: AcceptDesk;
  feedbackDoor?: ApiParts["feedbackDoor"];
}

/** Wires what the routes need from the configuration; the tests wire the same way. */
export function createApiParts(
  config: Config,
  { db, log, metrics, domainDesk, acceptDesk, feedbackDoor }: Given,
): ApiParts {
  const { loginDesk, keyPress } = createCredentialDesks(config);
  return {
    log,
    metrics,
    readiness: shareForASecond(() => checkReadiness(db)),
    authenticator: { db, peppers: config.secrets.apiKeyPepper, authority: loginDesk.authority },
    loginDesk,
    keyPress,
    acceptDesk,
    domainDesk,
    feedbackDoor,
    http: config.http,
  };
}

export type CredentialDesks = Pick<ApiParts, "loginDesk" | "keyPress">;

/** They make logins and API keys that every process with the same secrets accepts. */
export function createCredentialDesks(config: Config): CredentialDesks {
  const { apiKeyPepper, tokenSigningKey } = config.secrets;
  return {
    loginDesk: {
      authority: createTokenAuthority(config.http.publicUrl, config.cellCode, tokenSigningKey),
      refreshTokens: createRefreshTokenMaker(config.cellCode, tokenSigningKey),
      throttle: createLoginThrottle(tokenSigningKey.current),
    },
    keyPress: { pepper: apiKeyPepper.current, cellCode: config.cellCode },
  };
}
