import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { endpointsWith } from "./waiting-endpoints.ts";

/** The longest waits in seconds; 0 when nothing waits. */
export interface WebhookBacklog {
  /** Of a notification for its deliveries. */
  notification: number;
  /** Of a due delivery for its attempt, by whether its endpoint works. */
  working: number;
  failing: number;
}

/** Of all accounts. It costs a few index lookups for each endpoint with pending deliveries. */
export async function readBacklog(db: Queryable): Promise<WebhookBacklog> {
  const [row] = await db.query<WebhookBacklog>({
    name: "read-webhook-backlog",
    text: `
      with recursive ${endpointsWith("pending")}, oldest as materialized (
        select endpoint.is_failing, extract(epoch from now() - delivery.due_at)::float8 as seconds
        from waiting
        cross join lateral ${indexLookup(`
          select e.failing_since is not null as is_failing
          from webhook_endpoints e
          where e.id = waiting.id
            and e.disabled_at is null
            -- A listener takes its deliveries itself.
            and e.listens_until is null`)} as endpoint
        cross join lateral (
          select q.due_at
          from webhook_queue q
          where q.state = 'pending'
            and q.endpoint_id = waiting.id
            -- The replay of a range waits for all others.
            and q.priority = 0
          order by q.due_at
          limit 1
        ) as delivery
      )
      select
        coalesce((
          select greatest(extract(epoch from now() - time_of_id(n.id)), 0)::float8
          from notifications n
          where n.envelope is null
          order by n.id
          limit 1
        ), 0) as notification,
        coalesce(max(greatest(seconds, 0)) filter (where not is_failing), 0) as working,
        coalesce(max(greatest(seconds, 0)) filter (where is_failing), 0) as failing
      from oldest`,
  });
  return row ?? { notification: 0, working: 0, failing: 0 };
}

/** Endpoints of all accounts that fail or were disabled because they failed, from two small indexes. */
export async function countFailingEndpoints(db: Queryable): Promise<{ failing: number; disabled: number }> {
  const [row] = await db.query<{ failing: number; disabled: number }>({
    name: "count-failing-endpoints",
    text: `
      select
        (select count(*) from webhook_endpoints where failing_since is not null and disabled_at is null) as failing,
        (select count(*) from webhook_endpoints where disabled_at is not null and disabled_reason <> 'user') as disabled`,
  });
  return row ?? { failing: 0, disabled: 0 };
}
