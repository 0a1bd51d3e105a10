import { listSends } from "../../../sends/list-sends.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { toCursorPagination } from "../list-wire.ts";
import { sendList, sendQuery, toSendFilter } from "./send-list-wire.ts";
import { modesToRead } from "./send-mode.ts";
import { toSendRecord } from "./send-response-wire.ts";

/** An addition to the published interface, which finds a send only by its id. */
export function sendListRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/sends",
    {
      onRequest,
      schema: {
        operationId: "listSends",
        summary: "List and search sends",
        description:
          "Newest first; `next_before` continues the list. An API key reads the sends of its own mode. A JWT reads the sends " +
          "of both modes, or of one with `mode`. `since` and `until` compare with the time of acceptance, which the id contains.",
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: sendQuery,
        response: { 200: sendList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const modes = modesToRead(caller, request.query.mode);
      const { sends, nextBefore } = await listSends(caller.db, modes, toSendFilter(request.query));
      const pagination = toCursorPagination(request.query.limit, nextBefore);
      return { success: true as const, data: { sends: sends.map(toSendRecord), pagination } };
    },
  );
}
