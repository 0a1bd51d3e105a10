import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { maxNamedTags, namedTagsLock } from "./named-tags.ts";

interface Month {
  accountId: string;
  mode: Mode;
  /** A day of the month. */
  day: string;
}

/** Adds tags to those that are counted by name in the month, in their order, as long as there are not too many. */
export async function addNamedTags(db: Queryable, { accountId, mode, day }: Month, tags: string[]): Promise<void> {
  await db.query({
    name: "add-named-tags",
    text: `
      with month as materialized (
        select date_trunc('month', $3::timestamptz, 'UTC')::date as start
      ), known as materialized (
        select tag
        from usage_tags
        where account_id = $1
          and mode = $2
          and month = (select start from month)
      )
      insert into usage_tags (account_id, mode, month, tag)
      select $1, $2, (select start from month), tag
      from (
        select distinct tag
        from unnest($4::text[]) as given (tag)
        where tag not in (select tag from known)
        order by tag
        limit greatest(0, ${maxNamedTags} - (select count(*) from known))
      ) as new_tags
      order by tag
      on conflict do nothing`,
    values: [accountId, mode, day, tags],
    oneAtATime: namedTagsLock,
  });
}
