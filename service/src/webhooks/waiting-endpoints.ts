/**
 * A recursive part of a `with` list: `waiting (id)` has every endpoint with rows in this state of the queue. It finds each endpoint by one
 * index lookup that jumps over all its rows, so a long backlog of one endpoint costs as much as one row.
 */
export function endpointsWith(state: "pending" | "paused"): string {
  return `waiting (id) as (
        (
          select q.endpoint_id
          from webhook_queue q
          where q.state = '${state}'
          order by q.endpoint_id
          limit 1
        )
        union all
        select next.id
        from waiting
        cross join lateral (
          select q.endpoint_id as id
          from webhook_queue q
          where q.state = '${state}'
            and q.endpoint_id > waiting.id
          order by q.endpoint_id
          limit 1
        ) as next
      )`;
}
