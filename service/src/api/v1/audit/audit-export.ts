import type { Readable } from "node:stream";
import type { AuditEntry } from "../../../audit/list-audit.ts";
import { type ExportedList, type ExportFormat, linesOf } from "../../http/exports/export-format.ts";
import { type ExportOptions, exportPages } from "../../http/exports/export-pages.ts";
import { toAuditEntry } from "./audit-wire.ts";

export const exportPageSize = 100;

export const exportedAudit: ExportedList<AuditEntry, ReturnType<typeof toAuditEntry>> = {
  name: "audit",
  toEntry: toAuditEntry,
  columns: {
    id: ({ id }) => id,
    at: ({ at }) => at,
    actor_kind: ({ actor }) => actor.kind,
    actor_id: ({ actor }) => actor.id,
    actor_name: ({ actor }) => actor.name,
    action: ({ action }) => action,
    target_kind: ({ target }) => target.kind,
    target_id: ({ target }) => target.id,
    target_name: ({ target }) => target.name,
    before: ({ before }) => toJson(before),
    after: ({ after }) => toJson(after),
    address: ({ address }) => address,
    request_id: ({ request_id }) => request_id,
    reason: ({ reason }) => reason,
  },
};

function toJson(facts: Record<string, unknown> | null): string | null {
  return facts === null ? null : JSON.stringify(facts);
}

type AuditExport = Omit<ExportOptions<AuditEntry>, "toLine" | "header"> & { format?: ExportFormat };

export function exportAudit({ format = "ndjson", ...options }: AuditExport): Promise<Readable> {
  return exportPages({ ...options, ...linesOf(exportedAudit, format) });
}
