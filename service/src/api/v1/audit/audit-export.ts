import type { Readable } from "node:stream";
import type { AuditEntry } from "../../../audit/list-audit.ts";
import { type ExportOptions, exportPages } from "../../http/exports/export-pages.ts";
import { toAuditEntry } from "./audit-wire.ts";

export const exportPageSize = 100;

export function exportAudit(options: Omit<ExportOptions<AuditEntry>, "toLine">): Promise<Readable> {
  return exportPages({ ...options, toLine: (entry) => `${JSON.stringify(toAuditEntry(entry))}\n` });
}
