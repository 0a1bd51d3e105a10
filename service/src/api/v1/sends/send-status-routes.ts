import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { findSend } from "../../../sends/send-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt, uuidParams } from "../../http/wire-format.ts";
import { readingModeQuery, sendsToRead } from "./send-mode.ts";
import { sendRecord, toSendRecord } from "./send-response-wire.ts";

export function sendStatusRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/send/:id/status",
    {
      onRequest,
      schema: {
        operationId: "getSendStatus",
        summary: "Get the status of a send",
        description: "An API key reads the sends of its own mode. A JWT reads the sends of both modes.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        params: uuidParams,
        querystring: readingModeQuery,
        response: { 200: sendRecord, ...errorResponses(401, 404, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const visible = sendsToRead(caller, request.query.mode);
      const { id } = request.params;
      const send = z.guid().safeParse(id).success ? await findSend(caller.db, visible, id) : undefined;
      if (send === undefined) throw new AppError("NOT_FOUND", "This account has no send with this id.");
      return toSendRecord(send);
    },
  );
}
