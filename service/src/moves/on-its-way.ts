import type { Queryable } from "../db/database.ts";

/** What a worker began and has not ended. */
export interface OnItsWay {
  leased: number;
  inDoubt: number;
  delivering: number;
}

/**
 * Reads the sends that are leased or in doubt of all accounts, and not the rest of the queue: there is no index by account. After a failover
 * every queued send is in doubt; then it counts the first ones only.
 */
export async function findWhatIsOnItsWay(db: Queryable, accountId: string): Promise<OnItsWay> {
  const [row] = await db.query<OnItsWay>({
    name: "find-what-is-on-its-way",
    text: `
      select ${countState("leased")} as leased, ${countState("in-doubt")} as "inDoubt",
        (
          select count(*)
          from webhook_endpoints e
          join webhook_queue q on q.endpoint_id = e.id and q.state = 'delivering'
          where e.account_id = $1
        ) as delivering`,
    values: [accountId, countedAtMost],
  });
  if (row === undefined) throw new Error("what is on its way was not counted");
  return row;
}

const countedAtMost = 1_000;

/** The comparison with 'ready' lets PostgreSQL use the partial index. */
function countState(state: "leased" | "in-doubt"): string {
  return `(
          select count(*)
          from (
            select
            from unnest(array['live', 'test']) as given (mode)
            join send_queue q on q.mode = given.mode and q.state <> 'ready' and q.state = '${state}'
            where q.account_id = $1
            limit $2
          ) as first_ones
        )`;
}
