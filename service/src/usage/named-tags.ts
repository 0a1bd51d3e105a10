import { computedOnce, indexLookup } from "../db/stable-plan.ts";

/** Tags of an account, mode and month that are counted by name: the rows of `usage_tags`. Further ones are counted together. */
export const maxNamedTags = 1_000;

/** What those are called. No tag can have brackets. */
export const otherTags = "(other)";

/** Statements that add to `usage_tags` run one at a time: otherwise a tag could be counted by name and with the others. */
export const namedTagsLock = "named tags";

/** SQL: a row for each day, kind and tag of `deltas`, which has columns of `usage_deltas`. Dates are computed before a delta becomes ten rows. */
export function amountsOfTags(deltas: string): string {
  return `
        select account_id, is_test, day, month, kind, tag, sum(amount)::bigint as amount, sum(sends)::bigint as sends
        from ${computedOnce(`
          select account_id, is_test, kind, amount, sends, tags, (hour_at(hour) at time zone 'UTC')::date as day,
            date_trunc('month', hour_at(hour), 'UTC')::date as month
          from ${deltas}`)} as dated
        cross join lateral (select one collate "C" as tag from unnest(tags) as one) as of
        group by account_id, is_test, day, month, kind, tag`;
}

/**
 * SQL: rows of `amountsOfTags`, whether their tag is in `usage_tags` for its month (`is_known`), and whether it is counted by name
 * (`is_named`): because it is there, or because it still can be. Window functions and not joins, so that the time grows with the number of
 * rows whatever PostgreSQL expects it to be. The tags of a month are counted once.
 */
export function nameTags(amounts: string): string {
  return `
        select account_id, is_test, day, month, kind, tag, amount, sends, is_known,
          is_known or position <= ${maxNamedTags} - max(known_tags) over (partition by account_id, is_test, month) as is_named
        from (
          select found.*,
            dense_rank() over (partition by account_id, is_test, month, is_known order by tag) as position,
            case when not is_known and row_number() over (partition by account_id, is_test, month, is_known order by tag) = 1
              then (
                select count(*)
                from usage_tags t
                where t.account_id = found.account_id
                  and t.mode = ${modeOf("found")}
                  and t.month = found.month
              ) end as known_tags
          from (
            select given.*, listed.tag is not null as is_known
            from ${amounts} as given
            left join lateral ${indexLookup(`
              select t.tag
              from usage_tags t
              where t.account_id = given.account_id
                and t.mode = ${modeOf("given")}
                and t.month = given.month
                and t.tag = given.tag`)} as listed on true
          ) as found
        ) as ranked`;
}

const modeOf = (alias: string) => `case when ${alias}.is_test then 'test' else 'live' end`;

/** SQL: the name under which a row of `nameTags` is counted. */
export const countedName = `case when is_named then tag else '${otherTags}' end`;
