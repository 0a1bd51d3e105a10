import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { findTimeline } from "../../../sends/send-timeline.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers, needsKeyOrJwt } from "../../http/wire-format.ts";
import { modeParameter } from "../list-wire.ts";
import { timelineAnswer, toTimelineAnswer } from "./send-timeline-wire.ts";

/** Additive to the published interface: the status says how it stands, this says how it came about. */
export function sendTimelineRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "api-key-or-jwt");

  app.get(
    "/api/v1/send/:id/timeline",
    {
      onRequest,
      schema: {
        operationId: "getSendTimeline",
        summary: "All that happened to a send",
        description: "Acceptance, attempts, hand-over and events in the order of their times.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        params: z.object({ id: z.string() }),
        querystring: z.object({ mode: modeParameter }),
        response: { 200: timelineAnswer, ...errorAnswers(401, 404, 422) },
      },
    },
    async (request) => {
      const { db, mode, credential } = callerOf(request);
      const shown = credential.kind === "jwt" ? (request.query.mode ?? mode) : mode;
      const { id } = request.params;
      const timeline = z.guid().safeParse(id).success ? await findTimeline(db, shown, id) : undefined;
      if (timeline === undefined) throw new AppError("NOT_FOUND", "This account has no send with this id.");
      return toTimelineAnswer(timeline);
    },
  );
}
