import { uuidArray } from "../db/array-param.ts";
import type { Database, Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { rebuildNotifications } from "./rebuild-notifications.ts";
import { attemptNow, readFailedDeliveries } from "./replay-failures.ts";
import { type FoundRow, type RunningReplay, readEvents, readNotifications } from "./replay-range.ts";

/** What one step did. */
interface ReplayStep {
  replayId: string;
  state: "running" | "done" | "cancelled";
  deliveries: number;
}

const stepSize = 500;
/** The records of a long range would otherwise all be in the queue, for days when the endpoint is slow. */
const maxPending = 1_000;
const roomPauseSeconds = 1;
const fanOutPauseSeconds = 1;
const disabledPauseSeconds = 10;

/**
 * One step of the replay that has waited longest, in one commit: reads at most 500 rows of its range, adds their deliveries and moves its
 * position. A crash before the commit leaves the replay where it was; a concurrent worker takes another replay. Serves all accounts. Returns
 * undefined when none is due. The replay of an account that is on its way to another cell goes on where it lives.
 */
export function advanceReplay(db: Database, limit = stepSize): Promise<ReplayStep | undefined> {
  return db.withTransaction(async (tx) => {
    const replay = await takeDueReplay(tx);
    if (replay === undefined) return undefined;
    const endpoint = await keepEndpoint(tx, replay);
    if (endpoint === undefined) return finish(tx, replay, "cancelled", 0);
    if (endpoint.isDisabled) return pause(tx, replay, disabledPauseSeconds);
    if (endpoint.pending > maxPending - stepSize) return pause(tx, replay, roomPauseSeconds);

    const rows = await readers[replay.part](tx, endpoint.mode, replay, limit);
    const firstWaiting = rows.findIndex(({ kind }) => kind === "wait");
    const ready = firstWaiting === -1 ? rows : rows.slice(0, firstWaiting);
    const retried = await attemptNow(tx, replay, ready);
    const deliveries = retried + (await addDeliveries(tx, replay, await notificationsOf(tx, replay, ready)));
    // crash point: before-replay-step
    const position = ready.at(-1)?.id ?? replay.position;
    if (firstWaiting !== -1) return move(tx, replay, { position, deliveries, pauseSeconds: fanOutPauseSeconds });
    if (rows.length === limit) return move(tx, replay, { position, deliveries, pauseSeconds: 0 });
    return replay.part === "events"
      ? beginNotifications(tx, replay, deliveries)
      : finish(tx, replay, "done", deliveries);
  });
}

const readers = { events: readEvents, notifications: readNotifications, deliveries: readFailedDeliveries };

async function takeDueReplay(tx: Transaction): Promise<RunningReplay | undefined> {
  const [replay] = await tx.query<RunningReplay>({
    name: "take-due-webhook-replay",
    text: `
      select id, account_id as "accountId", endpoint_id as "endpointId", types, part, position, from_at as "fromAt", to_at as "toAt"
      from webhook_replays
      where state = 'running'
        and due_at <= now()
        and account_id not in (select account_id from moving_accounts)
      order by due_at
      limit 1
      for update skip locked`,
  });
  return replay;
}

interface ReplayedEndpoint {
  mode: Mode;
  isDisabled: boolean;
  /** Deliveries of ranges that wait for an attempt; counted no further than needed. */
  pending: number;
}

async function keepEndpoint(tx: Transaction, replay: RunningReplay): Promise<ReplayedEndpoint | undefined> {
  const [endpoint] = await tx.query<ReplayedEndpoint>({
    name: "keep-replayed-webhook",
    text: `
      select e.mode, e.disabled_at is not null as "isDisabled", waiting.pending
      from webhook_endpoints e
      cross join lateral (
        select count(*) as pending
        from (
          select
          from webhook_queue q
          where q.state = 'pending'
            and q.endpoint_id = $2
            and q.priority = 1
          limit $3
        ) as first_rows
      ) as waiting
      where e.account_id = $1
        and e.id = $2
      -- Its deletion waits for this commit, and then cancels what it added.
      for key share of e`,
    values: [replay.accountId, replay.endpointId, maxPending],
  });
  return endpoint;
}

/** The stored notification of each row, in their order; those that are not stored are rebuilt. */
async function notificationsOf(tx: Transaction, replay: RunningReplay, rows: FoundRow[]): Promise<string[]> {
  const lost = rows.filter(({ kind }) => kind === "rebuild").map(({ id }) => id);
  const rebuilt = await rebuildNotifications(tx, replay.accountId, lost);
  return rows
    .filter(({ kind }) => kind === "stored" || kind === "rebuild")
    .map(({ id, notificationId }) => notificationId ?? rebuilt.get(id))
    .filter((id) => id !== undefined);
}

async function addDeliveries(tx: Transaction, replay: RunningReplay, notificationIds: string[]): Promise<number> {
  if (notificationIds.length === 0) return 0;
  const rows = await tx.query({
    name: "add-replayed-deliveries",
    text: `
      with added as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, send_id, is_replay)
        select new_id_at(now()), $1, $2, n.id, n.public_id, n.type, n.send_id, true
        from unnest($3::uuid[]) with ordinality as given (id, position)
        cross join lateral ${indexLookup(`
          select notifications.id, notifications.public_id, notifications.type, notifications.send_id
          from notifications
          where notifications.account_id = $1
            and notifications.id = given.id`)} as n
        order by given.position
        returning id, notification_id
      )
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, priority, due_at)
      -- Attempted in the order of the range.
      select added.id, $1, $2, added.notification_id, 1,
        now() + array_position($3::uuid[], added.notification_id) * interval '1 microsecond'
      from added
      returning delivery_id`,
    values: [replay.accountId, replay.endpointId, uuidArray(notificationIds)],
    isPlannedEachTime: true,
  });
  return rows.length;
}

interface ReplayMove {
  position: string;
  deliveries: number;
  pauseSeconds: number;
}

async function move(tx: Transaction, replay: RunningReplay, { position, deliveries, pauseSeconds }: ReplayMove) {
  await tx.query({
    name: "move-webhook-replay",
    text: `
      update webhook_replays
      set position = $3, deliveries = deliveries + $4, due_at = clock_timestamp() + make_interval(secs => $5)
      where account_id = $1
        and id = $2`,
    values: [replay.accountId, replay.id, position, deliveries, pauseSeconds],
  });
  return { replayId: replay.id, state: "running", deliveries } as const;
}

function pause(tx: Transaction, replay: RunningReplay, pauseSeconds: number): Promise<ReplayStep> {
  return move(tx, replay, { position: replay.position, deliveries: 0, pauseSeconds });
}

async function beginNotifications(tx: Transaction, replay: RunningReplay, deliveries: number): Promise<ReplayStep> {
  await tx.query({
    name: "begin-replayed-notifications",
    text: `
      update webhook_replays
      set part = 'notifications', position = first_id_at(from_at), deliveries = deliveries + $3, due_at = clock_timestamp()
      where account_id = $1
        and id = $2`,
    values: [replay.accountId, replay.id, deliveries],
  });
  return { replayId: replay.id, state: "running", deliveries };
}

async function finish(
  tx: Transaction,
  replay: RunningReplay,
  state: "done" | "cancelled",
  deliveries: number,
): Promise<ReplayStep> {
  await tx.query({
    name: "finish-webhook-replay",
    text: `
      update webhook_replays
      set state = $3, deliveries = deliveries + $4, finished_at = now()
      where account_id = $1
        and id = $2`,
    values: [replay.accountId, replay.id, state, deliveries],
  });
  return { replayId: replay.id, state, deliveries };
}
