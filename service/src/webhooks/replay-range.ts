import type { Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import type { NotificationType } from "./notification-types.ts";

/** A replay whose row this transaction has locked. */
export interface RunningReplay {
  id: string;
  accountId: string;
  endpointId: string;
  types: NotificationType[];
  part: "events" | "notifications" | "deliveries";
  position: string;
  fromAt: string;
  toAt: string;
}

/**
 * - `skip`: not of this replay, or of its other part.
 * - `wait`: the fan-out has not written the envelope yet.
 * - `stored`: `notificationId` has the envelope.
 * - `rebuild`: only the event is left.
 * - `retry`: the delivery waits for its next attempt.
 */
export interface FoundRow {
  /** Of the event, the notification or the delivery. */
  id: string;
  kind: "skip" | "wait" | "stored" | "rebuild" | "retry";
  notificationId: string | null;
}

/**
 * The next events of the range, each with its stored notification. The original wins over a rebuilt one of an earlier replay; this one wins
 * over a new one, so that every replay sends the same bytes.
 */
export function readEvents(tx: Transaction, mode: Mode, replay: RunningReplay, limit: number): Promise<FoundRow[]> {
  return tx.query<FoundRow>({
    name: "read-replayed-events",
    text: `
      select happened.id, stored.id as "notificationId",
        case
          when happened.type <> all ($6) then 'skip'
          when stored.id is null then 'rebuild'
          when stored.is_rendered then 'stored'
          else 'wait'
        end as kind
      from (
        select e.id, ${typeOfEvent("e")} as type
        from events e
        where e.account_id = $1
          and e.mode = $2
          and e.id > $3
          and e.id < first_id_at($4)
        order by e.id
        limit $5
      ) as happened
      left join lateral ${indexLookup(`
        select n.id, n.envelope is not null as is_rendered
        from notifications n
        where n.public_id = happened.id
          and n.account_id = $1
        order by n.is_rebuilt, n.id
        limit 1`)} as stored on true
      order by happened.id`,
    values: [replay.accountId, mode, replay.position, replay.toAt, limit, replay.types],
    isPlannedEachTime: true,
  });
}

/**
 * The next notifications that were written in the range, without those whose event is in the range: the id of an event tells its time, and
 * the other part sends them.
 */
export function readNotifications(
  tx: Transaction,
  mode: Mode,
  replay: RunningReplay,
  limit: number,
): Promise<FoundRow[]> {
  return tx.query<FoundRow>({
    name: "read-replayed-notifications",
    text: `
      select n.id, n.id as "notificationId",
        case
          when n.type <> all ($6) or n.is_test or n.is_rebuilt then 'skip'
          when n.type = any ($7) and n.public_id > first_id_at($8) and n.public_id < first_id_at($4) then 'skip'
          when n.envelope is null then 'wait'
          else 'stored'
        end as kind
      from notifications n
      where n.account_id = $1
        and n.mode = $2
        and n.id > $3
        and n.id < first_id_at($4)
      order by n.id
      limit $5`,
    values: [
      replay.accountId,
      mode,
      replay.position,
      replay.toAt,
      limit,
      replay.types,
      Object.values(typesOfEvents),
      replay.fromAt,
    ],
    isPlannedEachTime: true,
  });
}

/** As the trigger on `events` names them. */
const typesOfEvents = {
  Delivery: "send.delivered",
  Bounce: "send.bounced",
  Complaint: "send.complained",
  Suppression: "send.suppressed",
} as const satisfies Record<string, NotificationType>;

/** SQL: the type of the notification of an event. */
export function typeOfEvent(event: string): string {
  const cases = Object.entries(typesOfEvents).map(([name, type]) => `when '${name}' then '${type}'`);
  return `case ${event}.event_type ${cases.join(" ")} end`;
}
