import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { AcceptDeps } from "../../accept/accept-send.ts";
import type { CountValidation } from "../../accept/count-validations.ts";
import type { ApiKeyIssuer } from "../../api-keys/create-api-key.ts";
import type { ContentViewDeps } from "../../content-views/content-view-store.ts";
import type { LiveDns } from "../../domains/live-dns/live-dns.ts";
import type { DomainDeps } from "../../domains/register-domain.ts";
import type { AppError } from "../../errors.ts";
import type { ReceiveFeedback } from "../../feedback/receive-feedback.ts";
import type { InviteDeps } from "../../invitations/invite-member.ts";
import type { Log } from "../../log.ts";
import type { LoginDeps } from "../../logins/login-deps.ts";
import type { ResetDeps } from "../../logins/password-reset.ts";
import type { Metrics } from "../../metrics.ts";
import type { OidcDeps } from "../../oidc/log-in-by-oidc.ts";
import type { FeedbackPush } from "../../provider/feedback.ts";
import type { LoggedCaller } from "../../request-log/logged-request.ts";
import type { RequestLog } from "../../request-log/request-log.ts";
import type { SecretPair } from "../../secret.ts";
import type { CellState } from "../../status/cell-state.ts";
import type { Readiness } from "../../status/readiness.ts";
import type { RequestSpan } from "../../tracing.ts";
import type { RefusalCounts } from "../../usage/count-refusals.ts";
import type { UrlRules } from "../../webhooks/outbound/check-url.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import type { ConsoleFiles } from "./console/console-files.ts";
import type { ReadLimits } from "./read-limits.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Authenticates the caller again; undefined for a request without a body (auth/require-caller.ts). */
    checkCaller: (() => Promise<unknown>) | undefined;
    /** Whose request log gets the request; undefined while no account is known. */
    loggedCaller: LoggedCaller | undefined;
    /** Undefined unless the operator traces requests. */
    span: RequestSpan | undefined;
  }
  interface FastifyReply {
    /** Fields that a route adds to the log line of its response. */
    logFields: Record<string, string | number | boolean> | undefined;
    /** Why the request is refused, for the request log. */
    refusal: Pick<AppError, "code" | "details"> | undefined;
  }
}

export type ApiServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What the routes need; `processes/api-deps.ts` creates it from the configuration. */
export interface ApiDeps {
  log: Log;
  metrics: Metrics;
  readiness: () => Promise<Pick<Readiness, "isReady">>;
  /** At most a second old. */
  cellState: () => Promise<CellState>;
  authenticator: Authenticator;
  /** For POST /send, with the connections of accepting, so that no other request delays it. */
  senderAuthenticator: Authenticator;
  readLimits: ReadLimits;
  loginDeps: LoginDeps;
  /** Undefined without OIDC_ISSUER. */
  oidc: OidcDeps | undefined;
  inviteDeps: InviteDeps;
  resetDeps: ResetDeps;
  apiKeyIssuer: ApiKeyIssuer;
  /** Undefined with CONTENT_VIEW=off. */
  contentViews: ContentViewDeps | undefined;
  acceptDeps: AcceptDeps;
  sendLimits: { maxAttachmentBytes: number };
  countValidation: CountValidation;
  refusalCounts: RefusalCounts;
  requestLog: RequestLog;
  /** `domainDeps` and `feedbackEndpoint` are undefined until the operator connects the installation to AWS. */
  domainDeps: DomainDeps | undefined;
  liveDns: LiveDns;
  /** `hint` wakes the workers: a person waits for a test or a replay. */
  webhooks: { contentKeys: SecretPair; urlRules: UrlRules; hint: () => void };
  feedbackEndpoint: { push: FeedbackPush; receive: ReceiveFeedback } | undefined;
  /** Undefined when the console was not built. */
  consoleFiles: ConsoleFiles | undefined;
  http: { publicUrl: string; trustedProxies: string[]; showReference: boolean };
}
