import type { SuppressionReason } from "../../../suppression-reason.ts";
import { type ReadRecord, valuesOf } from "../../../suppressions/import/import-reader.ts";
import { type FileSource, toImportEntry } from "../../../suppressions/import/import-sources.ts";
import { importSuppressions } from "../../../suppressions/import/import-suppressions.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwtOrKey } from "../../http/wire-format.ts";
import { requireMode } from "../sends/send-mode.ts";
import { importBody, importResponse, toImportAnswer } from "./suppression-import-wire.ts";
import { addingQuery } from "./suppression-wire.ts";

/** Of 1,000 entries with long notes. */
const maxImportBytes = 1024 * 1024;

/** An addition to the published interface: a list of another service in pages of 1,000. */
export function suppressionImportRoutes(app: ApiServer, deps: ApiDeps): void {
  const { onRequest, callerOf } = requireCaller(deps);

  app.post(
    "/api/v1/suppression/import",
    {
      onRequest,
      bodyLimit: maxImportBytes,
      schema: {
        operationId: "importSuppressions",
        summary: "Import addresses into the suppression list",
        description:
          "Up to 1,000 entries in a request; send a longer list in pages. Without `dry_run` false it only counts. Invalid entries are left " +
          "out and listed. An address that is suppressed keeps its entry and gets a stronger reason, never a weaker one: `manual`, " +
          "`hard_bounce`, `complaint`. The same entries again change nothing.",
        tags: ["Suppressions"],
        security: needsJwtOrKey,
        querystring: addingQuery,
        body: importBody,
        response: { 200: importResponse, ...errorResponses(401, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const mode = requireMode(caller, request.query.mode);
      const { entries, from: source, reason, dry_run: isDryRun } = request.body;
      const records = entries.map((entry, index) => toRecord(entry, index, source, reason));
      const counts = await importSuppressions(caller.db, pageOf(records), { mode, source, isDryRun });
      return { success: true as const, data: toImportAnswer(counts, isDryRun) };
    },
  );
}

async function* pageOf(records: ReadRecord[]): AsyncGenerator<ReadRecord[]> {
  yield records;
}

function toRecord(
  given: Record<string, unknown>,
  line: number,
  source: FileSource,
  otherwise: SuppressionReason,
): ReadRecord {
  const entry = toImportEntry(source, valuesOf(Object.entries(given)).values, otherwise);
  return "problem" in entry ? { line, problem: entry.problem } : { line, entry };
}
