import { findEvents, listEvents } from "../../../events/event-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import { offsetOf, requireNoPage, toCursorPagination, toPagePagination } from "../list-wire.ts";
import { eventList, eventQuery, toEventFilter, toEventRecord } from "./event-wire.ts";

export function eventRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "jwt");

  app.get(
    "/api/v1/events",
    {
      onRequest,
      schema: {
        operationId: "listEvents",
        summary: "List the account's events",
        description:
          "Newest first. With only `limit`, `page` and `type`, the response has the exact `total`. With `before`, `email_id`, " +
          "`recipient`, `since` or `until`, it has `next_before` instead, which continues the list without a depth limit. " +
          "Events are ordered by their own time, `Suppression` events by the time of their send; `since` and `until` compare " +
          "with the same time.",
        tags: ["Events"],
        security: needsJwt,
        querystring: eventQuery,
        response: { 200: eventList, ...errorResponses(401, 422) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const { mode = "live", type, limit, page } = request.query;
      const filter = toEventFilter(request.query);
      if (filter !== undefined) {
        requireNoPage(page);
        const { events, nextBefore } = await findEvents(db, mode, filter);
        const pagination = toCursorPagination(limit, nextBefore);
        return { success: true as const, data: { events: events.map(toEventRecord), pagination } };
      }
      const offset = offsetOf(page ?? 1, limit);
      const { events, total } = await listEvents(db, mode, { type, limit, offset });
      const pagination = toPagePagination(page ?? 1, limit, total);
      return { success: true as const, data: { events: events.map(toEventRecord), pagination } };
    },
  );
}
