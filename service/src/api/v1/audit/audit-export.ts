import { Readable } from "node:stream";
import { type AuditFilter, listAudit } from "../../../audit/list-audit.ts";
import type { AccountDatabase } from "../../../db/database.ts";
import { toAuditEntry } from "./audit-wire.ts";
import type { OpenExports } from "./open-exports.ts";

const pageSize = 100;

interface ExportOptions {
  db: AccountDatabase;
  openExports: OpenExports;
  filter: Omit<AuditFilter, "limit">;
  /** Throws when the login, the role or the account of the caller has ended. */
  authenticateAgain: () => Promise<void>;
  /** The longest time in which the client takes one page, and the whole export. */
  pageMs?: number;
  totalMs?: number;
}

/**
 * The lines of the export. One page is in memory, and no connection to the database is held between two pages. The first page is read
 * before the response begins, so that its errors are ordinary responses. The caller is authenticated again before each further page, so
 * that a removed owner gets no more. An export that cannot go on ends with an error, and its response without the last chunk, so that
 * the client sees that it is incomplete.
 */
export async function exportAudit(options: ExportOptions): Promise<Readable> {
  const { db, openExports, filter, authenticateAgain, pageMs = 60_000, totalMs = 600_000 } = options;
  const close = openExports.open(db.accountId);
  try {
    const readPage = (before?: string) =>
      listAudit(db, { ...filter, before: before ?? filter.before, limit: pageSize });
    const first = await readPage();
    const end = (reason: string) => stream.destroy(new Error(reason));
    const startPage = () => setTimeout(() => end("the client of an export stopped reading"), pageMs);
    let pageTimer = startPage();
    const totalTimer = setTimeout(() => end("an export took too long"), totalMs);
    const stream = Readable.from(
      (async function* () {
        for (let page = first; ; page = await readPage(page.nextBefore)) {
          clearTimeout(pageTimer);
          pageTimer = startPage();
          for (const entry of page.entries) yield `${JSON.stringify(toAuditEntry(entry))}\n`;
          if (page.nextBefore === undefined) return;
          await authenticateAgain();
        }
      })(),
      { objectMode: false },
    );
    stream.on("close", () => {
      clearTimeout(pageTimer);
      clearTimeout(totalTimer);
      close();
    });
    return stream;
  } catch (error) {
    close();
    throw error;
  }
}
