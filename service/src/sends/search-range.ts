import type { AccountDatabase } from "../db/database.ts";
import { ofEachMode } from "../db/of-each-mode.ts";
import { rowByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import type { SendFilter } from "./send-filter.ts";
import { isSendId } from "./send-id.ts";

/** The sends that one search covers, as a range of ids. */
export interface SearchRange {
  fromId: string;
  beforeId: string;
  /** Where the next search or scan goes on, if it must. */
  continuesAt: string | undefined;
  /** The sends that were accepted shortly before the submission that the provider message id names. */
  promptFromId: string | undefined;
  promptBeforeId: string | undefined;
}

const dayMs = 86_400_000;
/** The clock of the process that made an account may have been ahead by so much. AWS refuses requests of one that is five minutes ahead. */
const accountToleranceMs = dayMs;
/** Sends of before have no fine buckets: a worker merges them after 13 days. */
const recentMs = 40 * dayMs;
/** The limits of a prompt submission, as in the migration 0029_search. */
const longestPromptMs = 10_000;
const clockToleranceMs = 5_000;

/**
 * SQL: the ids of the sends that may match the search in `$6` (recipient) or `$8` (provider message id), at most `$3` and one more, newest first.
 * A hash collision may add others. Entries in the index are complete, except for prompt submissions: see the migration 0029_search.
 */
export const searchedSends = `
            select found as id
            from find_searched_sends(search_hash($1::uuid, coalesce($8::text, $6::text)), $11::uuid, $12::uuid, $3::integer + 1) as found
            union
            select id
            from (
              ${ofEachMode(
                (mode) => `
                select s.id
                from sends s
                where s.account_id = $1
                  and s.mode = ${mode}
                  and s.id >= greatest($11::uuid, $13::uuid)
                  and s.id < least($12::uuid, $14::uuid)
                  and $13::uuid is not null
                  and s.provider_message_id = $8
                order by s.id desc
                limit $3 + 1`,
              )}
            ) as prompt`;

/** Undefined when the page begins among sends that may have no entries yet. */
export async function findSearchRange(
  db: AccountDatabase,
  modes: readonly Mode[],
  { before, since, until, providerMessageId }: SendFilter,
): Promise<SearchRange | undefined> {
  const recentId = firstIdAt(Date.now() - recentMs);
  const { indexedFrom, newest, sinceId, untilId } = await readBounds(db, modes, { since, until, recentId });
  // The number of buckets to read grows with the range, so it ends at the newest send. Older sends have only coarse buckets.
  const endId = newest === null ? recentId : firstIdAt(timeOf(newest) + 1);
  const beforeId = smallest(before?.toLowerCase(), untilId, endId) ?? endId;
  const oldestId = largest(sinceId, oldestIdOf(db.accountId)) ?? firstIdAt(0);
  // The next millisecond, because the caller may see this id, and the send is perhaps of another account.
  const indexedId = firstIdAt(timeOf(indexedFrom) + 1);
  if (beforeId <= indexedId && oldestId < beforeId) return undefined;
  const fromId = largest(oldestId, indexedId) ?? oldestId;
  const submittedAt = providerMessageId === undefined ? undefined : submissionTime(providerMessageId);
  return {
    fromId,
    beforeId,
    continuesAt: fromId > oldestId && fromId < beforeId ? fromId : undefined,
    promptFromId: submittedAt === undefined ? undefined : firstIdAt(submittedAt - longestPromptMs),
    promptBeforeId: submittedAt === undefined ? undefined : firstIdAt(submittedAt + clockToleranceMs + 1),
  };
}

/**
 * An id to continue a search from, between the last send that it read and the next one. It is not the id of a send, because the caller may
 * not see the sends: it has the first digits of the last one, as few as distinguish it from the next. Those nearly always differ in their time.
 */
export function idBetween(last: string, next: string): string {
  const distinguished = [...last].findIndex((digit, index) => digit !== next[index]) + 1;
  return last.slice(0, distinguished) + firstIdAt(0).slice(distinguished);
}

/** An account has no older sends: its id contains the time at which it was made. To read its oldest send would open every partition. */
function oldestIdOf(accountId: string): string {
  return firstIdAt(isSendId(accountId) ? timeOf(accountId) - accountToleranceMs : 0);
}

interface Bounds {
  indexedFrom: string;
  newest: string | null;
  sinceId: string | null;
  untilId: string | null;
}

interface BoundsAsked {
  since: string | undefined;
  until: string | undefined;
  /** The newest send is looked for from here on, so that PostgreSQL opens only the partitions of these weeks. */
  recentId: string;
}

async function readBounds(
  db: AccountDatabase,
  modes: readonly Mode[],
  { since, until, recentId }: BoundsAsked,
): Promise<Bounds> {
  const [row] = await db.query<Bounds>({
    name: "find-search-bounds",
    text: `
      select search_indexed_from() as "indexedFrom", first_id_at($3::timestamptz) as "sinceId", first_id_at($4::timestamptz) as "untilId", (
        select id
        from (
          ${ofEachMode(
            (mode) => `
            select s.id
            from sends s
            where ${rowByIndex(["s.account_id", "s.mode"], ["$1::uuid", mode])}
              and s.id >= $5::uuid
            order by s.account_id desc, s.mode desc, s.id desc
            limit 1`,
          )}
        ) as ends
        order by id desc
        limit 1
      ) as newest`,
    values: [db.accountId, modes, since ?? null, until ?? null, recentId],
    isPlannedEachTime: true,
  });
  if (row === undefined) throw new Error("a select without a table returned no row");
  return row;
}

/** A provider message id of SES contains the time of the submission; undefined for others. */
function submissionTime(providerMessageId: string): number | undefined {
  const [, digits] = /^[0-9a-f]{4}([0-9a-f]{12})-/.exec(providerMessageId) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}

/** The smallest id of a moment, as in the database. */
function firstIdAt(ms: number): string {
  const time = Math.min(Math.max(Math.floor(ms), 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

function smallest(...ids: (string | null | undefined)[]): string | undefined {
  return ids.filter((id) => typeof id === "string").toSorted()[0];
}

function largest(...ids: (string | null | undefined)[]): string | undefined {
  return ids
    .filter((id) => typeof id === "string")
    .toSorted()
    .at(-1);
}
