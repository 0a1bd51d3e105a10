import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import { endpointFacts } from "./endpoint.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";

/** Deletes the endpoint and its secrets, and cancels its deliveries that did not end. */
export async function deleteEndpoint(db: AccountDatabase, modes: readonly Mode[], id: string): Promise<void> {
  const rows = await db.query({
    name: "delete-webhook",
    text: `
      with cancelled as materialized (
        select id, cancel_deliveries($1, id)
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
      ), deleted as (
        delete from webhook_endpoints e
        using cancelled
        where e.account_id = $1
          and e.id = cancelled.id
        returning e.id, e.mode, e.url, e.description, e.types, e.disabled_at
      ), ${auditEntry({
        action: "webhook.delete",
        actor: "$4",
        target: { kind: "webhook", id: "deleted.id", name: "deleted.url" },
        before: endpointFacts("deleted"),
        from: "deleted",
      })}
      select id
      from deleted`,
    values: [db.accountId, modes, id, JSON.stringify(db.actor)],
  });
  if (rows.length === 0) throw noSuchEndpoint();
}
