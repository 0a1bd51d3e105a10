import { findEvents, listEvents } from "../../../events/event-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { createDeepReads } from "../../http/deep-reads.ts";
import { errorResponses, needsJwtOrKey } from "../../http/wire-format.ts";
import { offsetOf, requireNoPage, toCursorPagination, toPagePagination } from "../list-wire.ts";
import { modesToRead } from "../sends/send-mode.ts";
import { eventList, eventQuery, toEventFilter, toEventRecord } from "./event-wire.ts";

export function eventRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);
  const deepReads = createDeepReads();

  app.get(
    "/api/v1/events",
    {
      onRequest,
      schema: {
        operationId: "listEvents",
        summary: "List the account's events",
        description:
          "Newest first. With only `limit`, `page` and `type`, the response has the exact `total`. With `before`, `email_id`, " +
          "`recipient`, `since` or `until`, it has `next_before` instead, which continues the list. Events are " +
          "ordered by `event_timestamp`; `since` and `until` compare with it. Without `mode` the list contains both modes.",
        tags: ["Events"],
        security: needsJwtOrKey,
        querystring: eventQuery,
        response: { 200: eventList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { type, limit, page } = request.query;
      const modes = modesToRead(caller, request.query.mode);
      const filter = toEventFilter(request.query);
      if (filter !== undefined) {
        requireNoPage(page);
        const { events, nextBefore } = await findEvents(caller.db, modes, filter);
        const pagination = toCursorPagination(limit, nextBefore);
        return { success: true as const, data: { events: events.map(toEventRecord), pagination } };
      }
      const offset = offsetOf(page ?? 1, limit);
      const read = () => listEvents(caller.db, modes, { type, limit, offset });
      const { events, total } = await deepReads.run(caller.accountId, offset, read);
      const pagination = toPagePagination(page ?? 1, limit, total);
      return { success: true as const, data: { events: events.map(toEventRecord), pagination } };
    },
  );
}
