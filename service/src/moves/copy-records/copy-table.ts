import type { Database } from "../../db/database.ts";
import type { CopiedTable } from "./copied-tables.ts";
import type { CopyDeps } from "./copy-deps.ts";
import { type Page, type PageLimits, type Place, readPage } from "./read-page.ts";
import { type Columns, writeRows } from "./write-rows.ts";

export interface PassOptions {
  /** The transaction number of the horizon; undefined in a first pass. */
  since: string | undefined;
  isLast: boolean;
  /** After each page: how many rows it changed in the target. */
  onRows: (table: string, rows: number) => void;
}

const maxRows = 2_000;
const maxBytes = 8 * 1024 * 1024;
/** Most rows did not change since the pass before. */
const scannedPerPage = 20_000;

export async function copyTable(
  deps: CopyDeps,
  columns: Columns,
  table: CopiedTable,
  { since, isLast, onRows }: PassOptions,
): Promise<void> {
  const scanned = since === undefined && table.isOfAccount === undefined ? maxRows : scannedPerPage;
  const limits: PageLimits = { scanned, rows: maxRows, bytes: maxBytes };
  const read = (place: Place) =>
    readPage(deps.source, table, { accountId: deps.accountId, place, limits, since, isLast });
  for (const scope of await findScopes(deps.source, deps.accountId, table)) {
    for (let page: Page | undefined = await read({ scope, after: undefined }); page !== undefined; ) {
      const next: Promise<Page> | undefined = page.isEnd ? undefined : read({ scope, after: page.last });
      // The next page is read while this one is written.
      const [written]: [number, unknown] = await Promise.all([writePage(deps, columns, table, page.rows), next]);
      onRows(table.table, written);
      page = await next;
    }
  }
}

async function writePage(
  { inTarget }: CopyDeps,
  columns: Columns,
  table: CopiedTable,
  rows: string[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const { before } = table;
  return inTarget(async (tx) => {
    if (before !== undefined) {
      await tx.query({
        name: `before-rows-of-${table.table}`,
        text: before,
        values: [`[${rows.join(",")}]`],
        isPlannedEachTime: true,
      });
    }
    return writeRows(tx, columns, table, rows);
  });
}

async function findScopes(source: Database, accountId: string, { scope }: CopiedTable): Promise<string[]> {
  switch (scope) {
    case "mode":
      return ["live", "test"];
    case "account":
      return [""];
    case "endpoint": {
      const rows = await source.query<{ id: string }>({
        name: "endpoints-of-account",
        text: `
          select id
          from webhook_endpoints
          where account_id = $1
          order by id`,
        values: [accountId],
      });
      return rows.map(({ id }) => id);
    }
  }
}
