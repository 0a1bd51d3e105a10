import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";
import { noSuchReplay, type Replay, replayColumns } from "./list-replays.ts";

interface CancelDecision {
  isFound: boolean;
  cancelled: Replay | null;
}

/** running → cancelled. The deliveries that it added stay: they are few, and an attempt may be in progress. */
export async function cancelReplay(
  db: AccountDatabase,
  { modes, endpointId, id }: { modes: readonly Mode[]; endpointId: string; id: string },
): Promise<Replay> {
  const [decision] = await db.query<CancelDecision>({
    name: "cancel-webhook-replay",
    text: `
      with endpoint as materialized (
        select id, url
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
      ), found as materialized (
        select id
        from webhook_replays
        where account_id = $1
          and endpoint_id = $3
          and id = $4
      ), cancelled as (
        update webhook_replays r
        set state = 'cancelled', finished_at = now()
        from endpoint
        where r.account_id = $1
          and r.endpoint_id = endpoint.id
          and r.id = $4
          and r.state = 'running'
        returning ${replayColumns("r")}
      ), ${auditEntry({
        action: "webhook.replay-cancel",
        actor: "$5",
        target: { kind: "webhook", id: "endpoint.id", name: "endpoint.url" },
        after: { replay_id: "cancelled.id", deliveries: "cancelled.deliveries" },
        from: "cancelled cross join endpoint",
      })}
      select found.id is not null as "isFound", case when cancelled.id is not null then to_jsonb(cancelled) end as cancelled
      from endpoint
      left join found on true
      left join cancelled on true`,
    values: [db.accountId, modes, endpointId, id, JSON.stringify(db.actor)],
  });
  if (decision === undefined) throw noSuchEndpoint();
  if (!decision.isFound) throw noSuchReplay();
  if (decision.cancelled === null) throw new AppError("CONFLICT", "This replay has ended.");
  return decision.cancelled;
}
