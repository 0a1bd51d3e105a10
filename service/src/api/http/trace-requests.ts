import type { FastifyRequest } from "fastify";
import { readTraceparent, type TraceParent } from "../../traceparent.ts";
import { endRequestSpan, isTracing, parentOf, startRequestSpan } from "../../tracing.ts";
import type { ApiServer } from "./api-server.ts";

/** Makes a span of each request, named by the pattern of its route: a path can contain an address. Without an SDK it adds no hook. */
export function traceRequests(app: ApiServer): void {
  app.decorateRequest("span", undefined);
  if (!isTracing()) return;
  app.addHook("onRequest", (request, _reply, done) => {
    request.span = startRequestSpan(request.method, request.headers.traceparent);
    done();
  });
  app.addHook("onResponse", ({ span, method, routeOptions, id }, { statusCode: status }, done) => {
    const { url: route } = routeOptions;
    const name = route === undefined ? method : `${method} ${route}`;
    const attributes = { "postern.request.id": id, ...(route !== undefined && { "http.route": route }) };
    if (span !== undefined) endRequestSpan(span, { name, status, attributes });
    done();
  });
}

/** The trace that the sends of a request join. */
export function traceOf({ span, headers }: FastifyRequest): TraceParent | undefined {
  return span === undefined ? readTraceparent(headers.traceparent) : parentOf(span);
}
