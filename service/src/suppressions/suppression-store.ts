import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { deepPage, maxScannedOffset, maxShallowOffset } from "../db/deep-page.ts";
import { keysetPage, type ScannedRow } from "../db/keyset-page.ts";
import { totalOfLists } from "../db/list-counts.ts";
import { ofEachMode } from "../db/of-each-mode.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import type { SuppressionReason } from "../suppression-reason.ts";

/**
 * Reads and removes entries. `feedback/record-reports.ts` adds them, in the commit that stores the bounce or complaint, and
 * `add-suppression.ts` those of people and programs.
 */

export interface Suppression {
  id: string;
  email: string;
  reason: SuppressionReason;
  suppressedAt: string;
  /** The send whose bounce or complaint added the address; null for other entries, and for those from before it was stored. */
  sendId: string | null;
  /** For people; only an entry that was added by hand or imported can have one. */
  note: string | null;
  mode: Mode;
}

/** The condition of the index of the list. It is true for every entry; accept and claim must not state it (migration 0020). */
const isListed = "reason <> ''";

/** SQL: the columns of a `Suppression`. */
export const suppressionColumns = `id, email, reason, suppressed_at as "suppressedAt", send_id as "sendId", note, mode`;

interface SuppressionPage {
  limit: number;
  /** The newest entries to skip. */
  offset: number;
}

interface CountedSuppressions {
  total: number;
  suppressions: Suppression[];
}

/** Newest first, which is the order of ids. */
export async function listSuppressions(
  db: AccountDatabase,
  modes: readonly Mode[],
  page: SuppressionPage,
): Promise<CountedSuppressions> {
  const { limit, offset } = page;
  if (offset <= maxShallowOffset) return readPage(db, modes, page);
  const read = await readDeepPage(db, modes, page);
  const isComplete = read.suppressions.length >= Math.min(limit, read.total - offset);
  return isComplete || offset > maxScannedOffset ? read : readPage(db, modes, page);
}

async function readPage(
  db: AccountDatabase,
  modes: readonly Mode[],
  { limit, offset }: SuppressionPage,
): Promise<CountedSuppressions> {
  const rows = await db.query<CountedRow>({
    name: "list-suppressions",
    text: `
      select counted.total, page.*
      from (select ${totalOfLists("'{suppressions}'")} as total) as counted
      left join (
        select *
        from (
          ${ofEachMode(
            (mode) => `
            select ${suppressionColumns}
            from suppressions
            where account_id = $1
              and mode = ${mode}
              and ${isListed}
            order by id desc
            limit $3::bigint + $4`,
          )}
        ) as entries
        order by id desc
        limit $3
        offset $4
      ) as page on true
      order by page.id desc`,
    values: [db.accountId, modes, limit, offset],
  });
  return countedSuppressions(rows);
}

async function readDeepPage(
  db: AccountDatabase,
  modes: readonly Mode[],
  { limit, offset }: SuppressionPage,
): Promise<CountedSuppressions> {
  const entries = (mode: string, conditions: string) =>
    `select id, mode from suppressions where account_id = $1 and mode = ${mode} and ${isListed} and ${conditions}`;
  const rows = await db.query<CountedRow>({
    name: "list-suppressions-far-back",
    text: `
      ${deepPage(entries)}
      select counted.total, found.*
      from counted
      left join (
        select entry.*
        from page
        cross join lateral ${indexLookup(`
          select ${suppressionColumns}
          from suppressions
          where account_id = $1
            and mode = page.mode
            and ${isListed}
            and id = page.id`)} as entry
      ) as found on true
      order by found.id desc`,
    values: [db.accountId, modes, ["suppressions"], offset, limit],
  });
  return countedSuppressions(rows);
}

type CountedRow = { total: number } & (Suppression | { id: null });

/** An empty page is one row that has only the total. */
function countedSuppressions(rows: CountedRow[]): CountedSuppressions {
  return { total: rows[0]?.total ?? 0, suppressions: rows.filter((row) => row.id !== null) };
}

/** The most entries that one request reads to find those of a reason. The caller continues from `nextBefore`. */
const maxScanned = 10_000;
const newestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

interface SuppressionFilter {
  /** Only entries with ids below. */
  before: string | undefined;
  reason?: SuppressionReason | undefined;
  limit: number;
}

/**
 * Newest first. `nextBefore` is the id to continue from; undefined at the end. With a reason a page can have fewer than `limit` entries
 * and still not be the last.
 */
export async function findSuppressionsBefore(
  db: AccountDatabase,
  modes: readonly Mode[],
  { before = newestId, reason, limit }: SuppressionFilter,
): Promise<{ suppressions: Suppression[]; nextBefore: string | undefined }> {
  const scanLimit = reason === undefined ? limit + 1 : maxScanned;
  const rows = await db.query<Suppression & ScannedRow>({
    name: "find-suppressions-before",
    text: `
      select *
      from (
        select *, $5::text is null or reason = $5 as "isWanted", row_number() over (order by id desc) as "scanPosition"
        from (
          select *
          from (
            ${ofEachMode(
              (mode) => `
              select ${suppressionColumns}
              from suppressions
              where account_id = $1
                and mode = ${mode}
                and ${isListed}
                and id < $3
              order by id desc
              limit $4`,
            )}
          ) as entries
          order by id desc
          limit $4
        ) as candidates
      ) as scanned
      where "isWanted" or "scanPosition" = $4
      order by id desc
      limit $6`,
    values: [db.accountId, modes, before, scanLimit, reason ?? null, limit + 2],
  });
  const { wanted, nextBefore } = keysetPage(rows, { limit, scanLimit });
  return { suppressions: wanted, nextBefore };
}

/**
 * SQL: the provider may list the address of the removed entry, because it reported a bounce or complaint. `reason` does not say so: an import
 * chooses it, and the provider has one list for all accounts. Code of the release before stored only the send of the report.
 */
const isAtProvider = "mode = 'live' and (reported_reason is not null or send_id is not null)";

/**
 * Removes an address from the list. If the provider reported a bounce or complaint of live mail, the same commit records that the address
 * must be removed from the provider's list too: the provider may have listed it for the same cause. Returns false when the address was not
 * on the list.
 */
export async function removeSuppression(
  db: AccountDatabase,
  modes: readonly Mode[],
  /** In lower case. */
  email: string,
): Promise<boolean> {
  const rows = await db.query({
    name: "remove-suppression",
    text: `
      with removed as (
        delete from suppressions
        where account_id = $1
          and mode = any ($2)
          and email = $3
        returning email, mode, reason, reported_reason, send_id
      ), ${auditEntry({
        action: "suppression.remove",
        actor: "$4",
        target: { kind: "suppression", id: "entry.email", name: "entry.email" },
        before: { modes: "entry.modes", reasons: "entry.reasons" },
        // An address can be suppressed in both modes; its removal is one action.
        from: `(
          select email, jsonb_agg(mode order by mode) as modes, jsonb_agg(reason order by mode) as reasons
          from removed
          group by email
        ) as entry`,
      })}, remembered as (
        insert into removed_suppressions as earlier (account_id, mode, email, removed_by_kind, removed_by_name, provider_status, provider_next_try_at)
        select $1, mode, email, $4::jsonb ->> 'kind', left(audit_actor_name($4::jsonb), 320),
          case when ${isAtProvider} then 'pending' else 'not_needed' end, case when ${isAtProvider} then now() end
        from removed
        order by mode
        on conflict (account_id, mode, email) do update
        set removed_at = excluded.removed_at, removed_by_kind = excluded.removed_by_kind, removed_by_name = excluded.removed_by_name,
          (provider_status, provider_next_try_at, provider_finished_at, provider_error) = (
            -- The provider has yet to finish an earlier removal, which goes on.
            select earlier.provider_status, earlier.provider_next_try_at, earlier.provider_finished_at, earlier.provider_error
            where earlier.provider_status = 'pending' and excluded.provider_status = 'not_needed'
            union all
            select excluded.provider_status, excluded.provider_next_try_at, null, null
            where not (earlier.provider_status = 'pending' and excluded.provider_status = 'not_needed')
          )
      )
      select case when ${isAtProvider} then note_suppression_removal(email) end
      from removed`,
    values: [db.accountId, modes, email, JSON.stringify(db.actor)],
  });
  return rows.length > 0;
}
