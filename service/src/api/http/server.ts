import { type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { AppError } from "../../errors.ts";
import { accountRoutes } from "../v1/account/account-routes.ts";
import { apiKeyRoutes } from "../v1/api-keys/api-key-routes.ts";
import { authRoutes } from "../v1/auth/auth-routes.ts";
import { domainRoutes } from "../v1/domains/domain-routes.ts";
import { eventRoutes } from "../v1/events/event-routes.ts";
import { feedbackRoutes } from "../v1/feedback/feedback-routes.ts";
import { sendListRoutes } from "../v1/sends/send-list-routes.ts";
import { sendRoutes } from "../v1/sends/send-routes.ts";
import { sendTimelineRoutes } from "../v1/sends/send-timeline-routes.ts";
import { suppressionRoutes } from "../v1/suppressions/suppression-routes.ts";
import { trackMethods } from "./allowed-methods.ts";
import type { ApiDeps, ApiServer } from "./api-server.ts";
import { createBrokenRequestHandler } from "./broken-request.ts";
import { createErrorHandler } from "./error-response.ts";
import { errorRoutes } from "./error-routes.ts";
import { validationError } from "./field-problems.ts";
import { healthRoutes } from "./health-routes.ts";
import { parseJsonBody } from "./json-body.ts";
import { describeApi } from "./openapi.ts";
import { serveReference } from "./reference.ts";
import { requestIdOf } from "./request-id.ts";

const maxBodyBytes = 64 * 1024;

export async function createApiServer(deps: ApiDeps): Promise<ApiServer> {
  const app = createServer(deps);
  acceptOnlyJson(app);
  answerErrors(app, deps);
  observe(app, deps);
  await describeApi(app);

  healthRoutes(app, deps);
  errorRoutes(app);
  await sendRoutes(app, deps);
  sendTimelineRoutes(app, deps);
  sendListRoutes(app, deps);
  authRoutes(app, deps);
  accountRoutes(app, deps);
  apiKeyRoutes(app, deps);
  domainRoutes(app, deps);
  suppressionRoutes(app, deps);
  eventRoutes(app, deps);
  await feedbackRoutes(app, deps);

  if (deps.http.showReference) await serveReference(app);
  await app.ready();
  return app;
}

function createServer(deps: ApiDeps): ApiServer {
  const { http, log } = deps;
  const answer = createErrorHandler(http.publicUrl, log);
  const app = fastify({
    logger: false,
    genReqId: requestIdOf,
    trustProxy: http.trustedProxies.length === 0 ? false : http.trustedProxies,
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 1024 },
    // While stopping, requests on open connections are still served; their connections close behind them.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    http: { requireHostHeader: false, connectionsCheckingInterval: 5_000 },
    clientErrorHandler: createBrokenRequestHandler(http.publicUrl),
    // For a path that is none no hook runs, so what the hooks do is done here.
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      setCommonHeaders(request, reply);
      answer(error, request, reply);
      record(deps, request, reply);
    },
  });
  return app.withTypeProvider<ZodTypeProvider>();
}

function acceptOnlyJson(app: ApiServer): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(Buffer.isBuffer(body) ? body : Buffer.from(body)));
    } catch (error) {
      done(error instanceof Error ? error : new Error("the body could not be read"));
    }
  });
  app.setValidatorCompiler<z.ZodType>(({ schema }) => (data) => {
    const result = schema.safeParse(data, { reportInput: true });
    return result.success ? { value: result.data } : { error: validationError(schema, result.error.issues) };
  });
  app.setSerializerCompiler(serializerCompiler);
}

function answerErrors(app: ApiServer, { http, log }: ApiDeps): void {
  const methodsOf = trackMethods(app);
  app.setErrorHandler(createErrorHandler(http.publicUrl, log));
  app.setNotFoundHandler((request, reply) => {
    const [path = ""] = request.url.split("?");
    const methods = methodsOf(path);
    if (methods.length === 0)
      throw new AppError("NOT_FOUND", "There is nothing at this path. /openapi.json lists the paths there are.");
    reply.header("allow", methods.join(", "));
    throw new AppError("METHOD_NOT_ALLOWED", `This path takes ${methods.join(", ")}.`);
  });
}

function observe(app: ApiServer, deps: ApiDeps): void {
  app.decorateReply("facts", undefined);
  // With callbacks: a promise for each request costs more than what is done here.
  app.addHook("onRequest", (request, reply, done) => {
    setCommonHeaders(request, reply);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    record(deps, request, reply);
    done();
  });
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    "x-request-id": request.id,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
}

/** One log line and one measurement per answer, with the pattern of the route: a path may hold an address. */
function record({ log, metrics }: ApiDeps, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? "none";
  const { method, id } = request;
  metrics.requestSeconds.observe({ method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  const duration_ms = Math.round(reply.elapsedTime);
  log.info(
    { request_id: id, method, route, status: reply.statusCode, duration_ms, ...reply.facts },
    "request.answered",
  );
}
