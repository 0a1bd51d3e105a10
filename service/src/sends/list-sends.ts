import type { AccountDatabase } from "../db/database.ts";
import { ofEachMode } from "../db/of-each-mode.ts";
import { onlyByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { findSearchRange, idBetween, type SearchRange, searchedSends } from "./search-range.ts";
import type { SendFilter } from "./send-filter.ts";
import { matchesFilter, readPage, type SendPage } from "./send-page.ts";
import { sendColumnsWithoutId, sendRecordColumns } from "./send-store.ts";

/** The most sends that one page reads for its filters; the caller continues with the next page. */
const maxScanned = 10_000;
/** The most sends that one page reads for a recipient alone: more than a page, because sends of the other mode are among them. */
const maxSearched = 1_000;

/**
 * Newest first, from `before` on. `nextBefore` continues the list and is undefined at its end. A page with fewer than `limit` sends
 * is not always the last one.
 *
 * Recipient and provider message id are found by index. While a worker still adds entries for sends from before the index, the search
 * covers the newer sends first, and the next pages scan the others.
 */
export async function listSends(db: AccountDatabase, modes: readonly Mode[], filter: SendFilter): Promise<SendPage> {
  if (filter.recipient === undefined && filter.providerMessageId === undefined) return scanSends(db, modes, filter);
  const range = await findSearchRange(db, modes, filter);
  return range === undefined ? scanSends(db, modes, filter) : searchSends(db, modes, filter, range);
}

async function searchSends(
  db: AccountDatabase,
  modes: readonly Mode[],
  filter: SendFilter,
  { continuesAt, ...range }: SearchRange,
): Promise<SendPage> {
  const { status, recipient, providerMessageId, fromDomains, apiKeyId, tag } = filter;
  const isCombined = [status, fromDomains, apiKeyId, tag].some((wanted) => wanted !== undefined);
  const scanLimit =
    isCombined || (recipient !== undefined && providerMessageId !== undefined) ? maxScanned : maxSearched;
  const page = await readPage(db, modes, filter, {
    name: "search-sends",
    // Sends that the caller does not see count as scanned: otherwise the list would seem to end before them.
    candidates: `
          select found.id, ${sendColumnsWithoutId}, s.id is not null and ${matchesFilter} as "isMatch"
          from (${searchedSends}
          ) as found
          left join lateral (
            select *
            from sends s
            where s.id = found.id
              and s.account_id = $1
              and s.mode = any ($2)
            offset 0
          ) as s on true`,
    scanLimit,
    values: [range.fromId, range.beforeId, range.promptFromId, range.promptBeforeId],
    continuesAfter: ({ id, nextId }) => (nextId === null ? undefined : idBetween(id, nextId)),
  });
  return { ...page, nextBefore: page.nextBefore ?? continuesAt };
}

/** Reads the sends of the account in the order of the list. A filter is compared with every send that is read. */
async function scanSends(db: AccountDatabase, modes: readonly Mode[], filter: SendFilter): Promise<SendPage> {
  const { status, recipient, fromDomains, providerMessageId, apiKeyId, tag, before, since, until, limit } = filter;
  const isFiltered = [status, recipient, fromDomains, providerMessageId, apiKeyId, tag].some(
    (wanted) => wanted !== undefined,
  );
  return readPage(db, modes, filter, {
    name: "list-sends",
    candidates: ofEachMode(
      (mode) => `
            select ${sendRecordColumns}, ${matchesFilter} as "isMatch"
            from sends s
            where s.account_id = $1
              and s.mode = ${mode}
              and ${onlyByIndex("s.account_id = $1", "s.to_count")}
              and ($11::uuid is null or s.id < $11)
              and ($12::timestamptz is null or s.id >= first_id_at($12))
              and ($13::timestamptz is null or s.id < first_id_at($13))
            order by s.id desc
            limit $3`,
    ),
    scanLimit: isFiltered ? maxScanned : limit + 1,
    values: [before ?? null, since ?? null, until ?? null],
    continuesAfter: ({ id }) => id,
  });
}
