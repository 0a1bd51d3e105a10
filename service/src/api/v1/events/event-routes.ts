import { findEvents, listEvents } from "../../../events/event-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers, needsJwt } from "../../http/wire-format.ts";
import { cursorAnswer, offsetOf, pageAnswer, requireNoPage } from "../list-wire.ts";
import { eventList, eventQuery, toEventAnswer, toEventFilter } from "./event-wire.ts";

export function eventRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "jwt");

  app.get(
    "/api/v1/events",
    {
      onRequest,
      schema: {
        operationId: "listEvents",
        summary: "What happened to the account's mail",
        description:
          "Newest first. With `limit`, `page` and `type` the answer has the exact `total`. With `before`, `email_id`, " +
          "`recipient`, `since` or `until` it has `next_before` instead, with which reading goes on however far back. " +
          "An event has its place by its own time, one of type `Suppression` by that of its send; `since` and `until` " +
          "mean that place.",
        tags: ["Events"],
        security: needsJwt,
        querystring: eventQuery,
        response: { 200: eventList, ...errorAnswers(401, 422) },
      },
    },
    async (request) => {
      const { db } = callerOf(request);
      const { mode = "live", type, limit, page } = request.query;
      const filter = toEventFilter(request.query);
      if (filter !== undefined) {
        requireNoPage(page);
        const { events, nextBefore } = await findEvents(db, mode, filter);
        const pagination = cursorAnswer(limit, nextBefore);
        return { success: true as const, data: { events: events.map(toEventAnswer), pagination } };
      }
      const offset = offsetOf(page ?? 1, limit);
      const { events, total } = await listEvents(db, mode, { type, limit, offset });
      const pagination = pageAnswer(page ?? 1, limit, total);
      return { success: true as const, data: { events: events.map(toEventAnswer), pagination } };
    },
  );
}
