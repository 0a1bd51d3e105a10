import { monthsOfLists } from "./list-counts.ts";
import { ofEachMode } from "./of-each-mode.ts";

/** Pages that start at most this far from the newest entry are found by reading the entries before them. */
export const maxShallowOffset = 10_000;

/**
 * A page that has fewer entries than the counts promise is read again by its offset, which reads every entry before it. Pages that start
 * farther from the newest entry stay short instead: the scan of millions of entries would only end at the statement timeout.
 */
export const maxScannedOffset = 100_000;

/**
 * SQL: the page of the lists `$3` of account `$1` in the modes `$2` that starts after `$4` entries and has up to `$5`, for pages far from
 * the newest entry. It defines `counted (total)` and `page (id, mode)`. Everything comes from one snapshot. It does not read the
 * entries before the page, except those of one day at most:
 *
 * 1. `ranges`: the number of entries per day. A month whose days do not add up to its own number counts as one range. Suppressions are
 *    not counted per month, so for them this holds for the whole list.
 * 2. `page_range`: from the first to the last range that the page touches, with the number of entries in them before and after the page.
 * 3. `page`: reads these ranges from the nearer end, by the index alone.
 *
 * `entries` selects id and mode of the entries of one mode with these conditions and in this order.
 */
export function deepPage(entries: (mode: string, conditions: string) => string): string {
  const inRange = `id >= (select first_id from page_range) and id < (select end_id from page_range)`;
  // The limit inside makes PostgreSQL read in order and stop: it would otherwise sort the whole range.
  const fromEnd = ({ order, skipped, isNearer }: { order: string; skipped: string; isNearer: string }) => `
          select id, mode
          from (
            ${ofEachMode((mode) =>
              entries(
                mode,
                `${inRange} order by id ${order} limit coalesce((select case when ${isNearer} then ${skipped} + wanted end from page_range), 0)`,
              ),
            )}
          ) as entries
          order by id ${order}
          offset (select ${skipped} from page_range)
          limit coalesce((select case when ${isNearer} then wanted end from page_range), 0)`;
  const ofLists = `account_id = $1 and mode = any ($2) and list = any ($3)`;
  return `
      with ${monthsOfLists}, days as materialized (
        select day, case when list <> 'suppressions' then date_trunc('month', day::timestamp)::date end as month, sum(count) as entries
        from (
          select list, day, count from list_days where ${ofLists}
          union all
          select list, day, difference from list_changes where ${ofLists} and day is not null
        ) as counts
        group by 1, 2
      ), complete as materialized (
        select months.month
        from (select month, sum(entries) as entries from days group by month) as by_month
        join months on months.month is not distinct from by_month.month and months.entries = by_month.entries
      ), ranges as (
        select day::timestamp as starts, day + interval '1 day' as ends, entries
        from days
        where exists (select from complete where complete.month is not distinct from days.month)
        union all
        select month::timestamp, month + interval '1 month', entries
        from months
        where not exists (select from complete where complete.month is not distinct from months.month)
      ), positions as materialized (
        select starts, ends, newer, newer + entries as up_to, total, least($4::bigint + $5::bigint, total) as page_end
        from (
          select starts, ends, entries, sum(entries) over () as total,
            sum(entries) over (order by starts desc rows unbounded preceding) - entries as newer
          from ranges
          where entries > 0
        ) as counted_from_new_end
      ), page_range as materialized (
        select
          coalesce(first_id_at(last.starts at time zone 'UTC'), '00000000-0000-0000-0000-000000000000') as first_id,
          coalesce(first_id_at(first.ends at time zone 'UTC'), 'ffffffff-ffff-ffff-ffff-ffffffffffff') as end_id,
          (first.page_end - $4::bigint)::bigint as wanted,
          ($4::bigint - first.newer)::bigint as before,
          (last.up_to - last.page_end)::bigint as after
        from positions first
        join positions last on last.newer < last.page_end and last.up_to >= last.page_end
        where first.newer <= $4::bigint
          and first.up_to > $4::bigint
      ), page as materialized (
        (${fromEnd({ order: "desc", skipped: "before", isNearer: "before <= after" })}
        )
        union all
        (${fromEnd({ order: "asc", skipped: "after", isNearer: "before > after" })}
        )
      ), counted as (
        select coalesce(max(total), 0)::bigint as total
        from positions
      )`;
}
