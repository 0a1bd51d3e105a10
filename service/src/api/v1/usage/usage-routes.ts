import { readKeyUsage } from "../../../usage/read-key-usage.ts";
import { readTagUsage } from "../../../usage/read-tag-usage.ts";
import { readUsage } from "../../../usage/read-usage.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { modesToRead } from "../sends/send-mode.ts";
import {
  boundsMs,
  maxEntries,
  requireFewEntries,
  toKeyUsageEntry,
  toRange,
  toTagUsageEntry,
  toUsageEntry,
  usageQuery,
  usageResponse,
} from "./usage-wire.ts";

/** An addition to the published interface. */
export function usageRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/usage",
    {
      onRequest,
      schema: {
        operationId: "getUsage",
        summary: "Get the usage of the account",
        description:
          "Sends, recipients and their outcomes, per hour, day or range. Outcomes count in the hour in which they happened, except `failed`, " +
          "which counts in the hour of acceptance. The numbers are exact and include what happened before the request, except " +
          "refusals, which lag by some seconds. Without `mode` a JWT gets the sum of both modes.",
        tags: ["Usage"],
        security: needsKeyOrJwt,
        querystring: usageQuery,
        response: { 200: usageResponse, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { by, ...range } = toRange(request.query, Date.now());
      const query = { ...range, by, modes: modesToRead(caller, request.query.mode), maxEntries: maxEntries + 1 };
      const { group } = request.query;
      const usage =
        group === "api_key"
          ? (await readKeyUsage(caller.db, query)).map(toKeyUsageEntry)
          : group === "tag"
            ? (await readTagUsage(caller.db, query)).map(toTagUsageEntry)
            : (await readUsage(caller.db, { ...query, isByDomain: group === "domain" })).map(toUsageEntry);
      requireFewEntries(usage.length);
      return { success: true as const, data: { ...range, by, delivery_time_bounds_ms: boundsMs, usage } };
    },
  );
}
