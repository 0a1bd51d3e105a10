import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { errorResponses } from "./wire-format.ts";

const noParameters = z.strictObject({});

/**
 * Every route of the interface refuses a query parameter that it does not know, so that a misspelt `mode` never changes which mail is
 * sent or read. A route with a validator of its own does this itself, or, like the SNS callback, takes any query.
 */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const isOwn = route.validatorCompiler !== undefined || route.schema?.querystring !== undefined;
    if (!route.url.startsWith("/api/v1/") || isOwn) return;
    // The type of a response schema depends on the type provider, which this hook does not know.
    const response = { ...errorResponses(422), ...(route.schema?.response as object | undefined) };
    route.schema = { ...route.schema, querystring: noParameters, response };
  });
}
