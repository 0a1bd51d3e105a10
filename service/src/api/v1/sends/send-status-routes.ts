import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { findSend } from "../../../sends/send-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { modeOfCaller, modeQuery } from "./send-mode.ts";
import { sendRecord, toSendRecord } from "./send-response-wire.ts";

export function sendStatusRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "api-key-or-jwt");

  app.get(
    "/api/v1/send/:id/status",
    {
      onRequest,
      schema: {
        operationId: "getSendStatus",
        summary: "Get the status of a send",
        description:
          "An API key reads the sends of its own mode. A JWT reads live sends, or test sends with `?mode=test`.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        params: z.object({ id: z.string() }),
        querystring: modeQuery,
        response: { 200: sendRecord, ...errorResponses(401, 404, 422) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const mode = modeOfCaller(caller, request.query.mode);
      const { id } = request.params;
      const send = z.guid().safeParse(id).success ? await findSend(caller.db, mode, id) : undefined;
      if (send === undefined) throw new AppError("NOT_FOUND", "This account has no send with this id.");
      return toSendRecord(send);
    },
  );
}
