import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { endpointFacts } from "./endpoint.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";

/**
 * Deletes the endpoint and its secrets, and cancels its deliveries that did not end. It is disabled first, in a commit of its own: that
 * waits for statements that add deliveries at this moment, so the deletion sees them.
 */
export async function deleteEndpoint(db: AccountDatabase, modes: readonly Mode[], id: string): Promise<void> {
  if (!(await disable(db, modes, id)) || !(await deleteWithDeliveries(db, id))) throw noSuchEndpoint();
}

async function disable(db: AccountDatabase, modes: readonly Mode[], id: string): Promise<boolean> {
  const rows = await db.query({
    name: "disable-webhook-to-delete",
    text: `
      update webhook_endpoints
      set disabled_at = coalesce(disabled_at, now()), disabled_reason = coalesce(disabled_reason, 'user')
      where account_id = $1
        and mode = any ($2)
        and id = $3
      returning id`,
    values: [db.accountId, modes, id],
  });
  return rows.length === 1;
}

/** The row in the queue is the fence: a worker that settles the same delivery finds no row, or this statement does not. */
async function deleteWithDeliveries(db: AccountDatabase, id: string): Promise<boolean> {
  const inState = (state: string) =>
    `select delivery_id from webhook_queue where account_id = $1 and endpoint_id = $2 and state = '${state}'`;
  const rows = await db.query({
    name: "delete-webhook",
    text: `
      with deleted as (
        delete from webhook_endpoints
        where account_id = $1
          and id = $2
        returning id, mode, url, description, types, disabled_at
      ), waiting as materialized (
        select q.delivery_id
        from webhook_queue q
        where q.account_id = $1
          and q.delivery_id = any (array(${["pending", "delivering", "paused"].map(inState).join(" union all ")}))
          and exists (select from deleted)
        order by q.delivery_id
        for update
      ), unqueued as (
        delete from webhook_queue q
        using waiting
        where q.account_id = $1
          and q.delivery_id = waiting.delivery_id
        returning q.delivery_id
      ), cancelled as (
        update webhook_deliveries d
        set state = 'cancelled', finished_at = now()
        from unqueued
        where d.account_id = $1
          and ${equalByIndex("d.id", "unqueued.delivery_id")}
      ), ${auditEntry({
        action: "webhook.delete",
        actor: "$3",
        target: { kind: "webhook", id: "deleted.id", name: "deleted.url" },
        before: endpointFacts("deleted"),
        from: "deleted",
      })}
      select id
      from deleted`,
    values: [db.accountId, id, JSON.stringify(db.actor)],
  });
  return rows.length === 1;
}
