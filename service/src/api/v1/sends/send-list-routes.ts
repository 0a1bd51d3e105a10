import { listSends } from "../../../sends/list-sends.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers, needsKeyOrJwt } from "../../http/wire-format.ts";
import { cursorAnswer } from "../list-wire.ts";
import { sendList, sendQuery, toSendFilter } from "./send-list-wire.ts";
import { toSendRecord } from "./send-wire.ts";

/** Additive to the published interface, which finds a send only by its id. */
export function sendListRoutes(app: ApiServer, { authenticator }: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(authenticator, "api-key-or-jwt");

  app.get(
    "/api/v1/sends",
    {
      onRequest,
      schema: {
        operationId: "listSends",
        summary: "Find sends",
        description:
          "Newest first; `next_before` reads on. An API key sees the sends of its own mode; a JWT sees live ones, or test " +
          "ones with `?mode=test`. `since` and `until` are compared with the time of acceptance that is in the id of a send.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: sendQuery,
        response: { 200: sendList, ...errorAnswers(401, 422) },
      },
    },
    async (request) => {
      const { db, mode, credential } = callerOf(request);
      const shown = credential.kind === "jwt" ? (request.query.mode ?? mode) : mode;
      const { sends, nextBefore } = await listSends(db, shown, toSendFilter(request.query));
      const pagination = cursorAnswer(request.query.limit, nextBefore);
      return { success: true as const, data: { sends: sends.map(toSendRecord), pagination } };
    },
  );
}
