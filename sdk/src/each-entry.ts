import type { Cursor, Pagination } from "./api-types.ts";
import type { Call } from "./result.ts";

interface Page<Entry> {
  entries: Entry[];
  pagination: Pagination | Cursor;
}

interface ListQuery {
  before?: string | undefined;
  limit?: number | undefined;
}

/** Reads page by page, newest first. The cursor is an entry id, so new entries do not shift the next page. */
export async function* eachEntry<Query extends ListQuery, Answer, Entry extends object>(
  list: (query: Query) => Call<Answer>,
  query: Query,
  pageOf: (answer: Answer) => Page<Entry>,
): AsyncGenerator<Entry, void, undefined> {
  let { before } = query;
  while (true) {
    const { entries, pagination } = pageOf(await list({ limit: 100, ...query, before }).orThrow());
    yield* entries;
    const next = nextBefore(entries, pagination);
    if (next === null) return;
    before = next;
  }
}

/** The first page of a query without filters has page numbers; all other pages have a cursor. */
function nextBefore(entries: object[], pagination: Pagination | Cursor): string | null {
  if ("next_before" in pagination) return pagination.next_before;
  const last = entries.at(-1);
  return pagination.page < pagination.total_pages && last !== undefined && "id" in last ? String(last.id) : null;
}
