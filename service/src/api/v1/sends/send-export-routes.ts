import { listSends } from "../../../sends/list-sends.ts";
import type { SendRecord } from "../../../sends/send-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import {
  type ExportedList,
  exportPageSize,
  exportResponse,
  exportRules,
  formatParameter,
  headersOf,
  linesOf,
} from "../../http/exports/export-format.ts";
import { exportPages } from "../../http/exports/export-pages.ts";
import type { OpenExports } from "../../http/exports/open-exports.ts";
import { errorResponses, needsKeyOrJwt } from "../../http/wire-format.ts";
import { sendQuery, toSendFilter } from "./send-list-wire.ts";
import { modesToRead } from "./send-mode.ts";
import { sendRecord, toSendRecord } from "./send-response-wire.ts";

const exported: ExportedList<SendRecord, ReturnType<typeof toSendRecord>> = {
  name: "sends",
  toEntry: toSendRecord,
  columns: {
    id: ({ id }) => id,
    queued_at: ({ queued_at }) => queued_at,
    status: ({ status }) => status,
    from_address: ({ from_address }) => from_address,
    to_addresses: ({ to_addresses }) => to_addresses,
    subject: ({ subject }) => subject,
    sent_at: ({ sent_at }) => sent_at,
    provider_message_id: ({ provider_message_id }) => provider_message_id,
    error_code: ({ error_code }) => error_code,
    error_message: ({ error_message }) => error_message,
    mode: ({ mode }) => mode,
    tags: ({ tags }) => tags,
    metadata: ({ metadata }) => metadata && JSON.stringify(metadata),
  },
};

/** An addition to the published interface. */
export function sendExportRoutes(app: ApiServer, deps: ApiDeps, openExports: OpenExports): void {
  const { onRequest, callerOf, authenticateAgain } = requireCaller(deps);

  app.get(
    "/api/v1/sends/export",
    {
      onRequest,
      // Fastify would read the whole stream for HEAD, without a client that could disconnect.
      exposeHeadRoute: false,
      schema: {
        operationId: "exportSends",
        summary: "Export sends as CSV or NDJSON",
        description: exportRules,
        tags: ["Sends"],
        security: needsKeyOrJwt,
        querystring: sendQuery.omit({ limit: true }).extend({ format: formatParameter }),
        response: {
          200: exportResponse(sendRecord, "Sends, one a line"),
          ...errorResponses(401, 422, 429),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { format, ...query } = request.query;
      const modes = modesToRead(caller, query.mode);
      const filter = toSendFilter({ ...query, limit: exportPageSize });
      const lines = await exportPages({
        ...linesOf(exported, format),
        accountId: caller.accountId,
        openExports,
        readPage: async (before = filter.before) => {
          const page = await listSends(caller.db, modes, { ...filter, before });
          return { entries: page.sends, nextBefore: page.nextBefore };
        },
        authenticateAgain: () => authenticateAgain(request),
      });
      return reply.headers(headersOf(exported, format)).send(lines);
    },
  );
}
