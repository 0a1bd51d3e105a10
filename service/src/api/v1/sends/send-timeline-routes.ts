import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { findTimeline } from "../../../sends/send-timeline.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt, uuidParams } from "../../http/wire-format.ts";
import { readingModeQuery, sendsToRead } from "./send-mode.ts";
import { timelineResponse, toTimelineResponse } from "./send-timeline-wire.ts";

/** An addition to the published interface, which returns the status of a send without its history. */
export function sendTimelineRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/send/:id/timeline",
    {
      onRequest,
      schema: {
        operationId: "getSendTimeline",
        summary: "Get the timeline of a send",
        description: "Acceptance, attempts, submission and events in chronological order.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        params: uuidParams,
        querystring: readingModeQuery,
        response: { 200: timelineResponse, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const visible = sendsToRead(caller, request.query.mode);
      const { id } = request.params;
      const timeline = z.guid().safeParse(id).success ? await findTimeline(caller.db, visible, id) : undefined;
      if (timeline === undefined) throw new AppError("NOT_FOUND", "This account has no send with this id.");
      return toTimelineResponse(timeline);
    },
  );
}
