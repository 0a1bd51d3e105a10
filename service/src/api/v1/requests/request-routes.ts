import { listRequests } from "../../../request-log/list-requests.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { toCursorPagination } from "../list-wire.ts";
import { modesToRead } from "../sends/send-mode.ts";
import { requestList, requestQuery, toLoggedRequest, toRequestFilter } from "./request-wire.ts";

/** An addition to the published interface: why was my request refused? */
export function requestRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/requests",
    {
      onRequest,
      schema: {
        operationId: "listRequests",
        summary: "List refused requests of the account",
        description:
          "The refused requests of the last 7 days and a sample of accepted ones, newest first; `next_before` continues the list. An entry has " +
          "no part of a body, path or query. It appears a few seconds after the response. Of an hour the log has up to 500 refused requests " +
          "for each error code, and of accepted requests of API keys the first of each key, route and minute, up to 100. Requests without a " +
          "credential of the account are not in it.",
        tags: ["Account"],
        security: needsKeyOrJwt,
        querystring: requestQuery,
        response: { 200: requestList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { limit, mode } = request.query;
      const filter = toRequestFilter(request.query);
      const { requests, nextBefore } = await listRequests(caller.db, modesToRead(caller, mode), filter);
      const pagination = toCursorPagination(limit, nextBefore);
      return { success: true as const, data: { requests: requests.map(toLoggedRequest), pagination } };
    },
  );
}
