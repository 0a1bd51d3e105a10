import { amountsOfTags, countedName, nameTags, otherTags } from "./named-tags.ts";
import { delayDays, partsOf } from "./usage-differences.ts";
import { usageKinds } from "./usage-kinds.ts";

/**
 * SQL, after `differenceSteps`: `tag_difference` has the columns of `nameTags`: what the record says about each tag, minus its counters,
 * folded or not. Record and deltas that are not folded are named in the same way: if a tag is not counted by name because the month has
 * its 1,000, it stays with the others. If it is new and can be counted by name, the difference has its name, and `is_known` is false.
 * Nothing is subtracted of a kind of which the day has events without a send.
 */
export const tagDifferenceSteps = `, tag_changes as materialized (
        select $1::uuid as account_id, $2 = 'test' as is_test, hour, ${usageKinds.accepted} as kind, recipients as amount, 1 as sends, tags
        from accepted
        where tags is not null
        union all
        select $1, $2 = 'test', hour, ${usageKinds.failed}, failing, 0, tags
        from accepted
        where tags is not null
          and status = 'failed'
        union all
        select $1, $2 = 'test', hour, kind, 1, 0, tags
        from happened
        where tags is not null
        union all
        select account_id, is_test, hour, kind, -amount, -coalesce(sends, 0), tags
        from usage_deltas
        where account_id = $1
          and tags is not null
          and is_test = ($2 = 'test')
          and hour >= (select hour_number(start) from day)
          and hour < (select hour_number(ends) from day)
      ), tag_amounts as materialized (${amountsOfTags("tag_changes")}
      ), named as materialized (${nameTags("tag_amounts")}
      ), tag_difference as materialized (
        select account_id, is_test, day, month, kind, tag, is_known, is_known or tag <> '${otherTags}' as is_named,
          sum(amount)::bigint as amount, sum(sends)::bigint as sends
        from (
          select account_id, is_test, day, month, kind, ${countedName} as tag, is_known, amount, sends
          from named
          union all
          select d.account_id, $2 = 'test', d.day, date_trunc('month', d.day)::date, part.kind, d.tag, d.tag <> '${otherTags}', -part.amount,
            -part.sends
          from usage_tag_days d
          cross join lateral ${partsOf("d", { contentBytes: "0" })}
          where d.account_id = $1
            and d.mode = $2
            and d.day = (select (start at time zone 'UTC')::date from day)
        ) as of_tags
        where kind <> ${usageKinds.delayed}
          or (select start from day) > now() - interval '${delayDays} days'
        group by account_id, is_test, day, month, kind, tag, is_known
        having sum(amount) > 0
          or (sum(amount) < 0 and kind not in (select kind from without_send))
          or sum(sends) <> 0
      )`;
