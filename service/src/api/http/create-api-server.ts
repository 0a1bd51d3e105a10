import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { AppError } from "../../errors.ts";
import { checkCallerAgain } from "../auth/require-caller.ts";
import { accountRoutes } from "../v1/account/account-routes.ts";
import { apiKeyRoutes } from "../v1/api-keys/api-key-routes.ts";
import { auditRoutes } from "../v1/audit/audit-routes.ts";
import { authRoutes } from "../v1/auth/auth-routes.ts";
import { mailedLinkRoutes } from "../v1/auth/mailed-link-routes.ts";
import { membershipRoutes } from "../v1/auth/membership-routes.ts";
import { oidcRoutes } from "../v1/auth/oidc-routes.ts";
import { passwordRoutes } from "../v1/auth/password-routes.ts";
import { sessionRoutes } from "../v1/auth/session-routes.ts";
import { totpRoutes } from "../v1/auth/totp-routes.ts";
import { attachmentRoutes } from "../v1/content/attachment-routes.ts";
import { contentViewRoutes } from "../v1/content/content-view-routes.ts";
import { sendContentRoutes } from "../v1/content/send-content-routes.ts";
import { domainDnsRoutes } from "../v1/domains/domain-dns-routes.ts";
import { domainRoutes } from "../v1/domains/domain-routes.ts";
import { mailFromRoutes } from "../v1/domains/mail-from-routes.ts";
import { eventExportRoutes } from "../v1/events/event-export-routes.ts";
import { eventRoutes } from "../v1/events/event-routes.ts";
import { feedbackRoutes } from "../v1/feedback/feedback-routes.ts";
import { invitationRoutes } from "../v1/invitations/invitation-routes.ts";
import { memberRoutes } from "../v1/members/member-routes.ts";
import { operatorActionRoutes } from "../v1/operator/operator-action-routes.ts";
import { operatorLimitRoutes } from "../v1/operator/operator-limit-routes.ts";
import { operatorQuarantineRoutes } from "../v1/operator/operator-quarantine-routes.ts";
import { operatorRoutes } from "../v1/operator/operator-routes.ts";
import { requestRoutes } from "../v1/requests/request-routes.ts";
import { maxSendBytes } from "../v1/sends/read-send-body.ts";
import { sendCancelRoutes } from "../v1/sends/send-cancel-routes.ts";
import { sendExportRoutes } from "../v1/sends/send-export-routes.ts";
import { sendListRoutes } from "../v1/sends/send-list-routes.ts";
import { sendRoutes } from "../v1/sends/send-routes.ts";
import { sendStatusRoutes } from "../v1/sends/send-status-routes.ts";
import { sendTimelineRoutes } from "../v1/sends/send-timeline-routes.ts";
import { suppressionExportRoutes } from "../v1/suppressions/suppression-export-routes.ts";
import { suppressionImportRoutes } from "../v1/suppressions/suppression-import-routes.ts";
import { suppressionRoutes } from "../v1/suppressions/suppression-routes.ts";
import { usageRoutes } from "../v1/usage/usage-routes.ts";
import { webhookDeliveryRoutes } from "../v1/webhooks/delivery-routes.ts";
import { webhookListenerRoutes } from "../v1/webhooks/listener-routes.ts";
import { webhookReplayRoutes } from "../v1/webhooks/replay-routes.ts";
import { webhookRoutes } from "../v1/webhooks/webhook-routes.ts";
import { trackAllowedMethods } from "./allowed-methods.ts";
import { serveApiReference } from "./api-reference.ts";
import type { ApiDeps, ApiServer } from "./api-server.ts";
import { bodyDeadlineMs, limitBodyTime } from "./body-deadline.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import { createErrorHandler, unknownPath } from "./error-response.ts";
import { createOpenExports } from "./exports/open-exports.ts";
import { healthRoutes } from "./health-routes.ts";
import { parseJsonBody, requireJsonMedia } from "./json-body.ts";
import { logRequests } from "./log-requests.ts";
import { createMalformedRequestHandler } from "./malformed-request.ts";
import { serveOpenApi } from "./openapi.ts";
import { errorRoutes } from "./pages/error-routes.ts";
import { startRoutes } from "./pages/start-routes.ts";
import { traceRequests } from "./trace-requests.ts";
import { refuseUnknownParameters } from "./unknown-parameters.ts";
import { validationError } from "./validation-error.ts";

const maxBodyBytes = 64 * 1024;
const headersTimeoutMs = 30_000;

export async function createApiServer(deps: ApiDeps): Promise<ApiServer> {
  const app = createServer(deps);
  traceRequests(app);
  limitBodyTime(app);
  validateRequests(app);
  handleErrors(app, deps);
  recordRequests(app, deps);
  logRequests(app, deps.requestLog);
  checkCallerAgain(app);
  await serveOpenApi(app);

  // One limit for all exports of this process.
  const openExports = createOpenExports();
  healthRoutes(app, deps);
  startRoutes(app, deps.http, deps.consoleFiles);
  consoleRoutes(app, deps.consoleFiles);
  errorRoutes(app, deps.http.publicUrl, deps.http);
  await sendRoutes(app, deps);
  sendStatusRoutes(app, deps);
  sendCancelRoutes(app, deps);
  sendTimelineRoutes(app, deps);
  sendContentRoutes(app, deps);
  attachmentRoutes(app, deps);
  contentViewRoutes(app, deps);
  sendListRoutes(app, deps);
  sendExportRoutes(app, deps, openExports);
  authRoutes(app, deps);
  sessionRoutes(app, deps);
  oidcRoutes(app, deps);
  passwordRoutes(app, deps);
  totpRoutes(app, deps);
  membershipRoutes(app, deps);
  mailedLinkRoutes(app, deps);
  memberRoutes(app, deps);
  invitationRoutes(app, deps);
  accountRoutes(app, deps);
  apiKeyRoutes(app, deps);
  domainRoutes(app, deps);
  domainDnsRoutes(app, deps);
  mailFromRoutes(app, deps);
  suppressionRoutes(app, deps);
  suppressionImportRoutes(app, deps);
  suppressionExportRoutes(app, deps, openExports);
  auditRoutes(app, deps, openExports);
  eventRoutes(app, deps);
  eventExportRoutes(app, deps, openExports);
  webhookRoutes(app, deps);
  webhookDeliveryRoutes(app, deps);
  webhookReplayRoutes(app, deps);
  webhookListenerRoutes(app, deps);
  usageRoutes(app, deps);
  requestRoutes(app, deps);
  operatorRoutes(app, deps);
  operatorActionRoutes(app, deps);
  operatorQuarantineRoutes(app, deps);
  operatorLimitRoutes(app, deps);
  await feedbackRoutes(app, deps);

  if (deps.http.showReference) serveApiReference(app);
  await app.ready();
  return app;
}

function createServer(deps: ApiDeps): ApiServer {
  const { http, log } = deps;
  const handleError = createErrorHandler(http.publicUrl, log);
  const app = fastify({
    logger: false,
    genReqId: requestIdOf,
    trustProxy: http.trustedProxies.length === 0 ? false : http.trustedProxies,
    bodyLimit: maxBodyBytes,
    // `limitBodyTime` is stricter for all but the largest mail.
    requestTimeout: headersTimeoutMs + bodyDeadlineMs(maxSendBytes(deps.sendLimits)),
    routerOptions: { maxParamLength: 1024 },
    // During shutdown the server still serves requests on open connections, then closes each connection.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    http: { requireHostHeader: false, connectionsCheckingInterval: 5_000, headersTimeout: headersTimeoutMs },
    clientErrorHandler: createMalformedRequestHandler(http.publicUrl),
    // Fastify runs no hooks for a malformed path, so this handler does their work.
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      setCommonHeaders(request, reply);
      handleError(error, request, reply);
      record(deps, request, reply);
    },
  });
  return app.withTypeProvider<ZodTypeProvider>();
}

function validateRequests(app: ApiServer): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      requireJsonMedia(request.headers);
      done(null, parseJsonBody(Buffer.isBuffer(body) ? body : Buffer.from(body)));
    } catch (error) {
      done(error instanceof Error ? error : new Error("the body parser threw a value that is not an error"));
    }
  });
  app.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    const result = schema.safeParse(data, { reportInput: true });
    return result.success ? { value: result.data } : { error: validationError(schema, result.error.issues) };
  });
  app.setSerializerCompiler(serializerCompiler);
  refuseUnknownParameters(app);
}

function handleErrors(app: ApiServer, { http, log }: ApiDeps): void {
  const methodsOf = trackAllowedMethods(app);
  app.setErrorHandler(createErrorHandler(http.publicUrl, log));
  app.setNotFoundHandler((request, reply) => {
    const [path = ""] = request.url.split("?");
    const methods = methodsOf(path);
    if (methods.length === 0) throw unknownPath();
    reply.header("allow", methods.join(", "));
    throw new AppError(
      "METHOD_NOT_ALLOWED",
      `This path does not support ${request.method}. It supports ${methods.join(", ")}.`,
    );
  });
}

function recordRequests(app: ApiServer, deps: ApiDeps): void {
  app.decorateReply("logFields", undefined);
  // The hooks use callbacks, because a promise per request would cost more than the hooks themselves.
  app.addHook("onRequest", (request, reply, done) => {
    setCommonHeaders(request, reply);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    record(deps, request, reply);
    done();
  });
}

/** Keeps the caller's id when it is safe in log lines and headers, so that both sides can search for the same id. */
function requestIdOf(request: Pick<IncomingMessage, "headers">): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUIDv7();
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    "x-request-id": request.id,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
}

/** Writes one log line and one measurement per response. They name the route pattern, because a path can contain an address. */
function record({ log, metrics }: ApiDeps, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? "none";
  const { method, id } = request;
  metrics.requestSeconds.observe({ method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  const duration_ms = Math.round(reply.elapsedTime);
  const account_id = request.loggedCaller?.accountId;
  log.info(
    { request_id: id, method, route, status: reply.statusCode, duration_ms, account_id, ...reply.logFields },
    "request.completed",
  );
}
