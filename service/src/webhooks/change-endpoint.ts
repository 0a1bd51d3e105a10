import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { endpointFacts } from "./endpoint.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";
import type { NotificationType } from "./notification-types.ts";

/** What is undefined stays as it is. */
export interface EndpointChange {
  url?: string | undefined;
  description?: string | null | undefined;
  types?: readonly NotificationType[] | undefined;
  isEnabled?: boolean | undefined;
}

/**
 * Changes the endpoint. Disabling pauses the deliveries that wait; enabling makes them due and forgets earlier failures. Of a long backlog
 * it moves the first ones and the chore of follow-endpoints.ts the rest; no claim takes any of a disabled endpoint meanwhile. A change to
 * what is already so changes nothing and leaves no entry.
 */
export async function changeEndpoint(
  db: AccountDatabase,
  modes: readonly Mode[],
  id: string,
  { url, description, types, isEnabled }: EndpointChange,
): Promise<void> {
  const rows = await db.query({
    name: "change-webhook",
    text: `
      with before as materialized (
        select id, mode, url, description, types, disabled_at
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
          and listens_until is null
        for no key update
      ), wished as materialized (
        select id, coalesce($4, url) as url, case when $5 then $6 else description end as description, coalesce($7, types) as types,
          coalesce($8, disabled_at is null) as is_enabled
        from before
      ), changed as (
        update webhook_endpoints e
        set url = wished.url, description = wished.description, types = wished.types,
          disabled_at = case when not wished.is_enabled then coalesce(e.disabled_at, now()) end,
          disabled_reason = case when not wished.is_enabled then coalesce(e.disabled_reason, 'user') end,
          failing_since = case when wished.is_enabled and e.disabled_at is not null then null else e.failing_since end,
          failed_deliveries = case when wished.is_enabled and e.disabled_at is not null then 0 else e.failed_deliveries end
        from wished
        where e.account_id = $1
          and e.id = wished.id
          and (e.url, e.description, e.types, e.disabled_at is null)
            is distinct from (wished.url, wished.description, wished.types, wished.is_enabled)
        returning e.id, e.mode, e.url, e.description, e.types, e.disabled_at
      ), waiting as materialized (
        -- A worker that has locked a row makes an attempt with it, and looks at the endpoint before the next one.
        select q.delivery_id
        from webhook_queue q
        where q.account_id = $1
          and q.delivery_id = any (${queuedIds("pending", "select from changed where disabled_at is not null")})
          and q.state = 'pending'
        order by q.delivery_id
        for no key update skip locked
      ), paused as (
        update webhook_queue q
        set state = 'paused'
        from waiting
        where q.account_id = $1
          and q.delivery_id = waiting.delivery_id
      ), kept as materialized (
        select q.delivery_id
        from webhook_queue q
        where q.account_id = $1
          and q.delivery_id = any (${queuedIds("paused", "select from changed where disabled_at is null")})
          and q.state = 'paused'
        order by q.delivery_id
        for no key update
      ), resumed as (
        update webhook_queue q
        set state = 'pending', due_at = now()
        from kept
        where q.account_id = $1
          and q.delivery_id = kept.delivery_id
      ), ${auditEntry({
        action: "webhook.change",
        actor: "$9",
        target: { kind: "webhook", id: "changed.id", name: "changed.url" },
        before: endpointFacts("before"),
        after: endpointFacts("changed"),
        from: "changed cross join before",
      })}
      select id
      from before`,
    values: [
      db.accountId,
      modes,
      id,
      url ?? null,
      description !== undefined,
      description ?? null,
      types ?? null,
      isEnabled ?? null,
      JSON.stringify(db.actor),
    ],
  });
  if (rows.length === 0) throw noSuchEndpoint();
}

/** SQL: the first deliveries of the endpoint `$3` in this state, by the index of the state, if `condition` has a row. */
function queuedIds(state: "pending" | "paused", condition: string): string {
  return `array(
            select delivery_id
            from webhook_queue
            where account_id = $1
              and endpoint_id = $3
              and state = '${state}'
              and exists (${condition})
            limit 1000
          )`;
}
