import { Readable } from "node:stream";
import type { AuditPage } from "../../../audit/list-audit.ts";
import { toAuditEntry } from "./audit-wire.ts";
import type { OpenExports } from "./open-exports.ts";

export const exportPageSize = 100;

interface ExportOptions {
  accountId: string;
  openExports: OpenExports;
  /** Continues at `before`, which is undefined for the first page. */
  readPage: (before: string | undefined) => Promise<AuditPage>;
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
  const { accountId, openExports, readPage, authenticateAgain, pageMs = 60_000, totalMs = 600_000 } = options;
  const close = openExports.open(accountId);
  try {
    const first = await readPage(undefined);
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
