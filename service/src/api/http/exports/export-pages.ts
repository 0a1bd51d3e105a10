import { Readable } from "node:stream";
import type { OpenExports } from "./open-exports.ts";

interface ExportPage<Entry> {
  entries: Entry[];
  /** Where the next page begins; undefined after the last one. */
  nextBefore: string | undefined;
}

export interface ExportOptions<Entry> {
  accountId: string;
  openExports: OpenExports;
  /** Continues at `before`, which is undefined for the first page. */
  readPage: (before: string | undefined) => Promise<ExportPage<Entry>>;
  /** The text before the first entry, such as the names of the columns. */
  header?: string;
  toLine: (entry: Entry) => string;
  /** Throws when the login, key, role or account of the caller has ended. */
  authenticateAgain: () => Promise<void>;
  /** The longest time in which the client takes one page, and the whole export. */
  pageMs?: number;
  totalMs?: number;
}

/**
 * The lines of an export. One page is in memory, and no connection to the database is held between two pages, so there is no long
 * snapshot. The first page is read before the response begins, so that its errors are ordinary responses. The caller is authenticated again
 * before each further page, so that a caller who loses the right gets no more. An export that cannot go on ends with an error, and its
 * response without the last chunk, so that the client sees that it is incomplete.
 */
export async function exportPages<Entry>(options: ExportOptions<Entry>): Promise<Readable> {
  const { openExports, readPage, authenticateAgain, header = "", toLine, pageMs = 60_000, totalMs = 600_000 } = options;
  const close = openExports.open(options.accountId);
  try {
    const first = await readPage(undefined);
    const end = (reason: string) => stream.destroy(new Error(reason));
    const startPage = () => setTimeout(() => end("the client of an export stopped reading"), pageMs);
    let pageTimer = startPage();
    const totalTimer = setTimeout(() => end("an export took too long"), totalMs);
    const stream = Readable.from(
      (async function* () {
        if (header !== "") yield header;
        for (let page = first; ; page = await readPage(page.nextBefore)) {
          clearTimeout(pageTimer);
          pageTimer = startPage();
          for (const entry of page.entries) yield toLine(entry);
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
