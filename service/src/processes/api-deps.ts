import type { AcceptDeps } from "../accept/accept-send.ts";
import { createValidationCount } from "../accept/count-validations.ts";
import { createCredentialLookup } from "../api/auth/credential-lookup.ts";
import type { ApiDeps } from "../api/http/api-server.ts";
import type { ConsoleFiles } from "../api/http/console/console-files.ts";
import { createReadLimits } from "../api/http/read-limits.ts";
import { createKeyUses } from "../api-keys/key-uses.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { createHint } from "../db/hints.ts";
import { createLiveDns } from "../domains/live-dns/live-dns.ts";
import type { DomainDeps } from "../domains/register-domain.ts";
import type { Log } from "../log.ts";
import { createTokenAuthority } from "../logins/access-token.ts";
import type { LoginDeps } from "../logins/login-deps.ts";
import { createLoginSlots } from "../logins/login-slots.ts";
import { createLoginThrottle } from "../logins/login-throttle.ts";
import { createRefreshTokenMaker } from "../logins/refresh-token.ts";
import { createTotpKey } from "../logins/totp-key.ts";
import type { Metrics } from "../metrics.ts";
import { createSystemMail } from "../notices/system-mail.ts";
import { createFlowMaker } from "../oidc/flow.ts";
import type { OidcDeps } from "../oidc/log-in-by-oidc.ts";
import { createOidcIssuer } from "../oidc/oidc-issuer.ts";
import { createOidcSlots } from "../oidc/oidc-slots.ts";
import { createRequestLog } from "../request-log/request-log.ts";
import { countLimitForMetrics, readCellState } from "../status/cell-state.ts";
import { cacheForOneSecond, checkReadiness } from "../status/readiness.ts";
import { createRefusalCounts } from "../usage/count-refusals.ts";
import { notifiedChannel } from "../webhooks/webhook-loop.ts";

interface OpenedDeps {
  db: Database;
  log: Log;
  metrics: Metrics;
  domainDeps: DomainDeps | undefined;
  acceptDeps: AcceptDeps;
  feedbackEndpoint?: ApiDeps["feedbackEndpoint"];
  consoleFiles?: ConsoleFiles | undefined;
  isStopping?: () => boolean;
}

/** Builds the dependencies of the routes from the configuration. The tests use it as well. */
export function createApiDeps(
  config: Config,
  { db, log, metrics, domainDeps, acceptDeps, feedbackEndpoint, consoleFiles, isStopping = () => false }: OpenedDeps,
): ApiDeps {
  const { loginDeps: login, apiKeyIssuer } = createCredentialDeps(config);
  const loginDeps = { ...login, countFailure: (user: string) => metrics.failedLogins.inc({ user }) };
  const keyUses = createKeyUses(db);
  const authenticatorOn = (database: Database) => ({
    keyUses,
    db: database,
    lookup: createCredentialLookup(database),
    peppers: config.secrets.apiKeyPepper,
    authority: loginDeps.authority,
  });
  const { sender } = config.notices;
  const sendMail = sender && createSystemMail({ db, log, accept: acceptDeps, sender });
  const { publicUrl } = config.http;
  const statusRule = { ...config.feedback, databaseDiskBytes: config.databaseDiskBytes };
  const readiness = cacheForOneSecond(() => checkReadiness(db));
  return {
    log,
    metrics,
    readiness: async () => (isStopping() ? { isReady: false } : readiness()),
    cellState: cacheForOneSecond(() => readCellState(db, statusRule, countLimitForMetrics)),
    authenticator: authenticatorOn(db),
    senderAuthenticator: authenticatorOn(acceptDeps.db),
    readLimits: createReadLimits(config.database.poolSize),
    loginDeps,
    oidc: createOidcDeps(config, loginDeps),
    inviteDeps: { db, throttle: loginDeps.throttle, publicUrl, sendMail },
    resetDeps: { login: loginDeps, publicUrl, sendMail },
    apiKeyIssuer,
    contentViews: config.showsContent ? { keys: config.secrets.contentKey, cellCode: config.cellCode } : undefined,
    acceptDeps,
    sendLimits: { maxAttachmentBytes: config.maxAttachmentBytes },
    countValidation: createValidationCount(db),
    refusalCounts: createRefusalCounts(db),
    requestLog: createRequestLog({ db, onDrop: (reason, count) => metrics.requestLogDropped.inc({ reason }, count) }),
    domainDeps,
    liveDns: createLiveDns({ servers: config.dnsServers }),
    webhooks: {
      contentKeys: config.secrets.contentKey,
      urlRules: config.webhooks,
      hint: createHint(db, notifiedChannel),
    },
    feedbackEndpoint,
    consoleFiles,
    http: config.http,
  };
}

function createOidcDeps({ oidc, http, secrets }: Config, { refreshTokens, throttle }: LoginDeps): OidcDeps | undefined {
  if (oidc === undefined) return undefined;
  return {
    issuer: createOidcIssuer({ ...oidc, publicUrl: http.publicUrl }),
    flows: createFlowMaker(secrets.tokenSigningKey),
    rules: oidc.rules,
    slots: createOidcSlots(),
    refreshTokens,
    throttle,
  };
}

export type CredentialDeps = Pick<ApiDeps, "loginDeps" | "apiKeyIssuer">;

/** Logins and API keys that these create are valid in every process with the same secrets. */
export function createCredentialDeps(config: Config): CredentialDeps {
  const { apiKeyPepper, contentKey, tokenSigningKey } = config.secrets;
  return {
    loginDeps: {
      authority: createTokenAuthority(config.http.publicUrl, config.cellCode, tokenSigningKey),
      refreshTokens: createRefreshTokenMaker(config.cellCode, tokenSigningKey),
      throttle: createLoginThrottle(tokenSigningKey.current),
      slots: createLoginSlots(),
      openTotpKey: createTotpKey(contentKey),
    },
    apiKeyIssuer: { pepper: apiKeyPepper.current, cellCode: config.cellCode },
  };
}
