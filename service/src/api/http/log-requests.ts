import type { FastifyReply, FastifyRequest } from "fastify";
import { addressOf } from "../../logins/client.ts";
import type { LoggedRequest } from "../../request-log/logged-request.ts";
import type { RequestLog } from "../../request-log/request-log.ts";
import { safeProblems } from "../../request-log/safe-problems.ts";
import { clientOf } from "../auth/client-of.ts";
import type { ApiServer } from "./api-server.ts";
import { collectPublishedFields } from "./published-fields.ts";

/** Passes the requests of known accounts to the request log: refused ones, and the sample of accepted ones of API keys. */
export function logRequests(app: ApiServer, requestLog: RequestLog): void {
  const isPublished = collectPublishedFields(app);
  app.decorateRequest("loggedCaller", undefined);
  app.decorateReply("refusal", undefined);
  app.addHook("onResponse", (request, reply, done) => {
    if (isLogged(requestLog, request, reply)) {
      const logged = toLoggedRequest(request, reply, isPublished);
      if (logged !== undefined) requestLog.note(logged);
    }
    done();
  });
}

function isLogged(requestLog: RequestLog, { loggedCaller, method, routeOptions }: FastifyRequest, reply: FastifyReply) {
  if (loggedCaller === undefined) return false;
  if (reply.refusal !== undefined) return true;
  const { apiKeyId } = loggedCaller;
  // People have the audit, and the console reads often.
  return apiKeyId !== undefined && requestLog.isSampled(apiKeyId, method, routeOptions.url ?? "");
}

function toLoggedRequest(
  request: FastifyRequest,
  { refusal, statusCode }: FastifyReply,
  isPublished: (name: string) => boolean,
): LoggedRequest | undefined {
  const { loggedCaller: caller, routeOptions, method, id } = request;
  if (caller === undefined || routeOptions.url === undefined) return undefined;
  return {
    caller,
    method,
    route: routeOptions.url,
    status: statusCode,
    errorCode: refusal?.code,
    problems: safeProblems(refusal?.details ?? [], isPublished),
    address: addressOf(clientOf(request)),
    requestId: id,
  };
}
