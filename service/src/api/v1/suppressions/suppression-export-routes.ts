import { z } from "zod";
import { suppressionReasons } from "../../../suppression-reason.ts";
import { findSuppressionsBefore, type Suppression } from "../../../suppressions/suppression-store.ts";
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
import { beforeParameter, readingModeParameter } from "../list-wire.ts";
import { modesToRead } from "../sends/send-mode.ts";
import { suppressionEntry, toSuppressionEntry } from "./suppression-wire.ts";

const exported: ExportedList<Suppression, ReturnType<typeof toSuppressionEntry>> = {
  name: "suppressions",
  toEntry: toSuppressionEntry,
  columns: {
    id: ({ id }) => id,
    email: ({ email }) => email,
    reason: ({ reason }) => reason,
    note: ({ note }) => note,
    suppressed_at: ({ suppressed_at }) => suppressed_at,
    email_id: ({ email_id }) => email_id,
    mode: ({ mode }) => mode,
  },
};

/** An addition to the published interface. */
export function suppressionExportRoutes(app: ApiServer, deps: ApiDeps, openExports: OpenExports): void {
  const { onRequest, callerOf, authenticateAgain } = requireCaller(deps);

  app.get(
    "/api/v1/suppression/export",
    {
      onRequest,
      // Fastify would read the whole stream for HEAD, without a client that could disconnect.
      exposeHeadRoute: false,
      schema: {
        operationId: "exportSuppressions",
        summary: "Export the suppression list as CSV or NDJSON",
        description: exportRules,
        tags: ["Suppressions"],
        security: needsJwtOrKey,
        querystring: z.strictObject({
          format: formatParameter,
          before: beforeParameter,
          mode: readingModeParameter,
          reason: z.enum(suppressionReasons).optional().describe("Only entries with this reason"),
        }),
        response: {
          200: exportResponse(suppressionEntry, "The suppression list, one entry a line"),
          ...errorResponses(401, 422, 429),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { format, reason } = request.query;
      const modes = modesToRead(caller, request.query.mode);
      const lines = await exportPages({
        ...linesOf(exported, format),
        accountId: caller.accountId,
        openExports,
        readPage: async (before = request.query.before) => {
          const page = await findSuppressionsBefore(caller.db, modes, { before, reason, limit: exportPageSize });
          return { entries: page.suppressions, nextBefore: page.nextBefore };
        },
        authenticateAgain: () => authenticateAgain(request),
      });
      return reply.headers(headersOf(exported, format)).send(lines);
    },
  );
}
