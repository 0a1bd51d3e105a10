import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";
import { noSuchDelivery } from "./list-deliveries.ts";

interface ReplayDecision {
  isDisabled: boolean;
  isFound: boolean;
  isStored: boolean;
  replayId: string | null;
}

/** Sends the stored envelope again, byte for byte and under the same `webhook-id`, as a delivery of its own. Returns its id. */
export async function replayDelivery(
  db: AccountDatabase,
  { modes, endpointId, id }: { modes: readonly Mode[]; endpointId: string; id: string },
): Promise<string> {
  const [decision] = await db.query<ReplayDecision>({
    name: "replay-webhook-delivery",
    text: `
      with endpoint as materialized (
        -- Its deletion waits for this statement, and then cancels the replay.
        select id, url, disabled_at
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
          and listens_until is null
        for key share
      ), found as materialized (
        select d.id, d.notification_id, d.public_id, d.type, d.is_test, n.send_id, n.envelope is not null as is_stored
        from webhook_deliveries d
        left join notifications n on n.account_id = $1 and n.id = d.notification_id
        where d.account_id = $1
          and d.endpoint_id = $3
          and d.id = $4
      ), added as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, send_id, is_replay, is_test)
        select new_id_at(now()), $1, endpoint.id, found.notification_id, found.public_id, found.type, found.send_id, true, found.is_test
        from endpoint
        join found on found.is_stored
        where endpoint.disabled_at is null
        returning id, endpoint_id, notification_id
      ), queued as (
        insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id)
        select id, $1, endpoint_id, notification_id
        from added
      ), ${auditEntry({
        action: "webhook.replay",
        actor: "$5",
        target: { kind: "webhook", id: "endpoint.id", name: "endpoint.url" },
        after: { delivery_id: "found.id", type: "found.type" },
        from: "added cross join endpoint cross join found",
      })}
      select endpoint.disabled_at is not null as "isDisabled", found.id is not null as "isFound",
        coalesce(found.is_stored, false) as "isStored", added.id as "replayId"
      from endpoint
      left join found on true
      left join added on true`,
    values: [db.accountId, modes, endpointId, id, JSON.stringify(db.actor)],
    isPlannedEachTime: true,
  });
  if (decision === undefined) throw noSuchEndpoint();
  if (!decision.isFound) throw noSuchDelivery();
  if (decision.isDisabled) throw disabledEndpoint();
  if (decision.replayId === null) throw notStored();
  return decision.replayId;
}

export function disabledEndpoint(): AppError {
  return new AppError("CONFLICT", "This webhook is disabled. Enable it first: PATCH it with enabled true.");
}

export function notStored(): AppError {
  return new AppError("CONFLICT", "The body of this notification is no longer stored, so it cannot be sent again.");
}
