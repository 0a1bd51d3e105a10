import { findEvents } from "../../../events/event-store.ts";
import type { ListedEvent } from "../../../events/send-event.ts";
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
import { errorResponses, needsJwtOrKey } from "../../http/wire-format.ts";
import { modesToRead } from "../sends/send-mode.ts";
import { eventQuery, eventRecord, recipientKeyOf, toEventRecord } from "./event-wire.ts";

const exported: ExportedList<ListedEvent, ReturnType<typeof toEventRecord>> = {
  name: "events",
  toEntry: toEventRecord,
  columns: {
    id: ({ id }) => id,
    event_timestamp: ({ event_timestamp }) => event_timestamp,
    event_type: ({ event_type }) => event_type,
    recipient: ({ recipient }) => recipient,
    email_id: ({ email_id }) => email_id,
    mode: ({ mode }) => mode,
    bounce_type: ({ bounce_type }) => bounce_type,
    bounce_subtype: ({ bounce_subtype }) => bounce_subtype,
    bounce_status: ({ bounce_status }) => bounce_status,
    diagnostic: ({ diagnostic }) => diagnostic,
    cause: ({ explanation }) => explanation?.cause,
    complaint_type: ({ complaint_type }) => complaint_type,
    smtp_response: ({ smtp_response }) => smtp_response,
    duration_ms: ({ duration_ms }) => duration_ms,
    reporting_mta: ({ reporting_mta }) => reporting_mta,
    suppression_reason: ({ suppression_reason }) => suppression_reason,
    suppressed_at: ({ suppressed_at }) => suppressed_at,
    tags: ({ tags }) => tags,
    metadata: ({ metadata }) => metadata && JSON.stringify(metadata),
  },
};

/** An addition to the published interface. */
export function eventExportRoutes(app: ApiServer, deps: ApiDeps, openExports: OpenExports): void {
  const { onRequest, callerOf, authenticateAgain } = requireCaller(deps);

  app.get(
    "/api/v1/events/export",
    {
      onRequest,
      // Fastify would read the whole stream for HEAD, without a client that could disconnect.
      exposeHeadRoute: false,
      schema: {
        operationId: "exportEvents",
        summary: "Export events as CSV or NDJSON",
        description: exportRules,
        tags: ["Events"],
        security: needsJwtOrKey,
        querystring: eventQuery.omit({ limit: true, page: true }).extend({ format: formatParameter }),
        response: {
          200: exportResponse(eventRecord, "Events, one a line"),
          ...errorResponses(401, 422, 429),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { format, type, email_id: sendId, recipient, since, until } = request.query;
      const modes = modesToRead(caller, request.query.mode);
      const filter = { type, sendId, recipient: recipient && recipientKeyOf(recipient), since, until };
      const lines = await exportPages({
        ...linesOf(exported, format),
        accountId: caller.accountId,
        openExports,
        readPage: async (before = request.query.before) => {
          const page = await findEvents(caller.db, modes, { ...filter, before, limit: exportPageSize });
          return { entries: page.events, nextBefore: page.nextBefore };
        },
        authenticateAgain: () => authenticateAgain(request),
      });
      return reply.headers(headersOf(exported, format)).send(lines);
    },
  );
}
