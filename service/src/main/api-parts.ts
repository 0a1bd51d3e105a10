import type { ApiParts } from "../api/api-server.ts";
import { checkReadiness, shareForASecond } from "../api/readiness.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { DomainDesk } from "../domains/register-domain.ts";
import type { Log } from "../log.ts";
import { createTokenAuthority } from "../logins/access-token.ts";
import { createLoginThrottle } from "../logins/login-throttle.ts";
import { createRefreshTokenMaker } from "../logins/refresh-token.ts";
import type { Metrics } from "../metrics.ts";

interface Given {
  db: Database;
  log: Log;
  metrics: Metrics;
  domainDesk: DomainDesk | undefined;
}

/** Wires what the routes need from the configuration; the tests wire the same way. */
export function createApiParts(config: Config, { db, log, metrics, domainDesk }: Given): ApiParts {
  const { apiKeyPepper, tokenSigningKey } = config.secrets;
  const authority = createTokenAuthority(config.http.publicUrl, config.cellCode, tokenSigningKey);
  return {
    db,
    log,
    metrics,
    readiness: shareForASecond(() => checkReadiness(db)),
    authenticator: { db, peppers: apiKeyPepper, authority },
    loginDesk: {
      authority,
      refreshTokens: createRefreshTokenMaker(config.cellCode, tokenSigningKey),
      throttle: createLoginThrottle(tokenSigningKey.current),
    },
    keyPress: { pepper: apiKeyPepper.current, cellCode: config.cellCode },
    domainDesk,
    http: config.http,
  };
}
