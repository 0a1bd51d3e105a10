import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup, withoutIndex } from "../db/stable-plan.ts";
import { endpointsWith } from "./waiting-endpoints.ts";

/**
 * Deliveries follow their endpoint in bounded steps, because there can be many. Each function serves all accounts, moves at most `limit`
 * rows and returns how many. Settling and these moves race without a lock: a delivery that ends up in the wrong state moves in a later
 * run, and a claim takes no delivery of a disabled or deleted endpoint meanwhile. Deliveries with a lease move when they are settled.
 */

/** pending → paused, while the endpoint is disabled. */
export function pauseDeliveries(db: Queryable, limit: number): Promise<number> {
  return move(db, { name: "pause-webhook-deliveries", from: "pending", to: "paused", where: "is not null", limit });
}

/** paused → pending, due now, when the endpoint is enabled again. The number of attempts stays. */
export function resumeDeliveries(db: Queryable, limit: number): Promise<number> {
  return move(db, { name: "resume-webhook-deliveries", from: "paused", to: "pending", where: "is null", limit });
}

interface Move {
  name: string;
  from: "pending" | "paused";
  to: "pending" | "paused";
  /** The condition on `disabled_at` of the endpoint. */
  where: "is null" | "is not null";
  limit: number;
}

async function move(db: Queryable, { name, from, to, where, limit }: Move): Promise<number> {
  const rows = await db.query({
    name,
    text: `
      with recursive ${endpointsWith(from)}, chosen as materialized (
        select waiting.id
        from waiting
        cross join lateral ${indexLookup(`
          select e.id
          from webhook_endpoints e
          where e.id = waiting.id
            and e.disabled_at ${where}`)} as endpoint
      ), ${firstRows(from)}
      update webhook_queue q
      set state = '${to}'${to === "pending" ? ", due_at = least(q.due_at, now())" : ""}
      from moving
      where ${equalByIndex("q.delivery_id", "moving.delivery_id")}
      returning q.delivery_id`,
    values: [limit],
  });
  return rows.length;
}

/** pending or paused → cancelled, when the endpoint is deleted. */
export async function cancelDeliveries(db: Queryable, limit: number): Promise<number> {
  return (await cancelThose(db, "pending", limit)) + (await cancelThose(db, "paused", limit));
}

async function cancelThose(db: Queryable, state: "pending" | "paused", limit: number): Promise<number> {
  const rows = await db.query({
    name: `cancel-${state}-webhook-deliveries`,
    text: `
      with recursive ${endpointsWith(state)}, chosen as materialized (
        select waiting.id
        from waiting
        left join lateral ${indexLookup(`
          select e.id
          from webhook_endpoints e
          where e.id = waiting.id`)} as endpoint on true
        where endpoint.id is null
      ), ${firstRows(state)}, finished as (
        update webhook_deliveries d
        set state = 'cancelled', finished_at = now()
        from moving
        where ${equalByIndex("d.id", "moving.delivery_id")}
          and d.state = 'pending'
      )
      delete from webhook_queue q
      using moving
      where ${equalByIndex("q.delivery_id", "moving.delivery_id")}
      returning q.delivery_id`,
    values: [limit],
    changesSends: true,
  });
  return rows.length;
}

/** `moving`: at most `$1` rows of the chosen endpoints, locked. */
function firstRows(state: "pending" | "paused"): string {
  return `first_rows as materialized (
        select rows.delivery_id
        from chosen
        cross join lateral (
          select q.delivery_id
          from webhook_queue q
          where q.state = '${state}'
            and q.endpoint_id = chosen.id
          limit $1
        ) as rows
        limit $1
      ), moving as materialized (
        select q.delivery_id
        from first_rows
        join webhook_queue q on ${equalByIndex("q.delivery_id", "first_rows.delivery_id")}
        where ${withoutIndex("q.state")} = '${state}'
        for update of q skip locked
      )`;
}
