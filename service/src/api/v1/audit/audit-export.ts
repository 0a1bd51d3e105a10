import { Readable } from "node:stream";
import { type AuditFilter, listAudit } from "../../../audit/list-audit.ts";
import type { Caller } from "../../auth/authenticate.ts";
import { toAuditEntry } from "./audit-wire.ts";

const pageSize = 500;
const maxPageMs = 60_000;

/**
 * The lines of the export, a page at a time: one page is in memory, and no connection to the database is held between two pages. The
 * first page is read before the response begins, so that its errors are ordinary responses. A page that the client does not take within
 * `pageMs` ends the export.
 */
export async function exportAudit(
  caller: Caller,
  filter: Omit<AuditFilter, "limit" | "before">,
  pageMs = maxPageMs,
): Promise<Readable> {
  const readPage = (before?: string) => listAudit(caller.db, { ...filter, before, limit: pageSize });
  const first = await readPage();
  let timer: NodeJS.Timeout | undefined;
  const stream = Readable.from(
    (async function* () {
      for (let page = first; ; page = await readPage(page.nextBefore)) {
        clearTimeout(timer);
        timer = setTimeout(() => stream.destroy(new Error("the client of an export stopped reading")), pageMs);
        yield page.entries.map((entry) => `${JSON.stringify(toAuditEntry(entry))}\n`).join("");
        if (page.nextBefore === undefined) return;
      }
    })(),
    { objectMode: false },
  );
  stream.on("close", () => clearTimeout(timer));
  return stream;
}
