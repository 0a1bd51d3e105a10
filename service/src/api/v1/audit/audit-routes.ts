import { listAudit } from "../../../audit/list-audit.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { exportResponse, headersOf } from "../../http/exports/export-format.ts";
import type { OpenExports } from "../../http/exports/open-exports.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import { toCursorPagination } from "../list-wire.ts";
import { exportAudit, exportedAudit, exportPageSize } from "./audit-export.ts";
import {
  auditEntryResponse,
  auditExportQuery,
  auditList,
  auditQuery,
  toAuditEntry,
  toAuditFilter,
} from "./audit-wire.ts";

/** An addition to the published interface: owners see who did what. */
export function auditRoutes(app: ApiServer, deps: ApiDeps, openExports: OpenExports): void {
  const { onRequest, callerOf, authenticateAgain } = requireCaller(deps);

  app.get(
    "/api/v1/audit",
    {
      onRequest,
      schema: {
        operationId: "listAudit",
        summary: "List who did what in the account",
        description:
          "Newest first; `next_before` continues the list. Every management action, log-in and failed log-in of a member has an entry, " +
          "written in the same commit. Entries never change.",
        tags: ["Account"],
        security: needsJwt,
        querystring: auditQuery,
        response: { 200: auditList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const { limit } = request.query;
      const { entries, nextBefore } = await listAudit(callerOf(request).db, { ...toAuditFilter(request.query), limit });
      const pagination = toCursorPagination(limit, nextBefore);
      return { success: true as const, data: { entries: entries.map(toAuditEntry), pagination } };
    },
  );

  app.get(
    "/api/v1/audit/export",
    {
      onRequest,
      // Fastify would read the whole stream for HEAD, without a client that could disconnect.
      exposeHeadRoute: false,
      schema: {
        operationId: "exportAudit",
        summary: "Export the audit as CSV or NDJSON",
        description:
          "One entry a line, newest first, all that match. An export that fails in the middle ends without the last chunk of the response, " +
          "so that a client sees an error; `before` with the id of the last line continues it. It fails when the access token expires, when the " +
          "user stops being an owner, when the client does not take 100 lines within a minute, and after 10 minutes. An account has 2 exports " +
          "of any kind at a time at most, and a process of the API 16; a further one is 429. CSV has `before` and `after` as JSON, and an " +
          "apostrophe before text that a spreadsheet would run as a formula.",
        tags: ["Account"],
        security: needsJwt,
        querystring: auditExportQuery,
        response: {
          200: exportResponse(auditEntryResponse, "Entries of the audit, one a line"),
          ...errorResponses(401, 422, 429),
        },
      },
    },
    async (request, reply) => {
      const { db, accountId } = callerOf(request);
      const { format } = request.query;
      const filter = { ...toAuditFilter(request.query), limit: exportPageSize };
      const lines = await exportAudit({
        format,
        accountId,
        openExports,
        readPage: (before = filter.before) => listAudit(db, { ...filter, before }),
        authenticateAgain: () => authenticateAgain(request),
      });
      return reply.headers(headersOf(exportedAudit, format)).send(lines);
    },
  );
}
