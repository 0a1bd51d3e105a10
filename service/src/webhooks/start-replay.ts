import { randomUUIDv7 } from "node:crypto";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Mode } from "../mode.ts";
import { noSuchEndpoint } from "./endpoint-store.ts";
import { type Replay, replayColumns } from "./list-replays.ts";
import { disabledEndpoint } from "./replay-delivery.ts";

export const maxReplayDays = 31;

/** A transaction that wrote a notification before the end of the range has ended by then: statements are cancelled long before. */
const settleSeconds = 30;

interface StartDecision {
  isDisabled: boolean;
  isPast: boolean;
  /** Records from before it are dropped; null unless the range begins before it. */
  droppedBefore: string | null;
  started: Replay | null;
}

/**
 * Stores the request to send everything of a time range again to one endpoint; workers do the rest (advance-replay.ts). A `to` in the future
 * counts as now: what happens later is sent anyway. A range whose records are dropped, in whole or in part, is refused.
 */
export async function startReplay(
  db: AccountDatabase,
  { modes, endpointId }: { modes: readonly Mode[]; endpointId: string },
  { from, to, isOnlyFailed = false }: { from: string; to: string; isOnlyFailed?: boolean },
): Promise<Replay> {
  const [decision] = await db.query<StartDecision>({
    name: "start-webhook-replay",
    text: `
      with endpoint as materialized (
        -- Its deletion waits for this statement.
        select id, url, types, disabled_at
        from webhook_endpoints
        where account_id = $1
          and mode = any ($2)
          and id = $3
          and listens_until is null
        for key share
      ), dropped as materialized (
        select before
        from records_dropped_before() as before
        where before > $5::timestamptz
      ), started as (
        insert into webhook_replays as r (id, account_id, endpoint_id, types, from_at, to_at, only_failed, part, position, due_at)
        select $4, $1, endpoint.id, endpoint.types, $5::timestamptz, least($6::timestamptz, now()), $9,
          case when $9 then 'deliveries' else 'events' end, first_id_at($5::timestamptz),
          -- What failed was stored long ago.
          case when $9 then now() else greatest(now(), least($6::timestamptz, now()) + make_interval(secs => $7)) end
        from endpoint
        where endpoint.disabled_at is null
          and $5::timestamptz < now()
          and not exists (select from dropped)
        on conflict (endpoint_id) where state = 'running' do nothing
        returning ${replayColumns("r")}
      ), ${auditEntry({
        action: "webhook.replay-range",
        actor: "$8",
        target: { kind: "webhook", id: "endpoint.id", name: "endpoint.url" },
        after: {
          replay_id: "started.id",
          from: `started."from"`,
          to: `started."to"`,
          only_failed: `started."isOnlyFailed"`,
        },
        from: "started cross join endpoint",
      })}
      select endpoint.disabled_at is not null as "isDisabled", $5::timestamptz < now() as "isPast",
        (select before from dropped) as "droppedBefore",
        case when started.id is not null then to_jsonb(started) end as started
      from endpoint
      left join started on true`,
    values: [
      db.accountId,
      modes,
      endpointId,
      randomUUIDv7(),
      from,
      to,
      settleSeconds,
      JSON.stringify(db.actor),
      isOnlyFailed,
    ],
  });
  if (decision === undefined) throw noSuchEndpoint();
  if (decision.isDisabled) throw disabledEndpoint();
  if (!decision.isPast) throw startsLater();
  if (decision.droppedBefore !== null) throw isDropped(decision.droppedBefore);
  if (decision.started === null) throw alreadyRunning();
  return decision.started;
}

function startsLater(): AppError {
  const message = "from must be in the past.";
  return new AppError("VALIDATION_ERROR", message, { details: [{ field: "from", code: "invalid", message }] });
}

function isDropped(before: string): AppError {
  const message = `from must not be before ${new Date(before).toISOString()}: earlier records are dropped.`;
  return new AppError("VALIDATION_ERROR", message, { details: [{ field: "from", code: "invalid", message }] });
}

function alreadyRunning(): AppError {
  return new AppError("CONFLICT", "A replay of this webhook is running. Wait until it is done, or cancel it.");
}
