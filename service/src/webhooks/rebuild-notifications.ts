import { textArray, uuidArray } from "../db/array-param.ts";
import type { Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { renderEnvelope } from "./envelope.ts";
import { eventOf, type NotificationRow, sendOf } from "./notification-rows.ts";
import { typeOfEvent } from "./replay-range.ts";

/**
 * Makes notifications of events whose own are not stored: under the id of the event, from the record as it is now, without a `sequence`
 * because nothing says which one it was. Returns the id of the notification by the id of the event; an event without its send has none.
 */
export async function rebuildNotifications(
  tx: Transaction,
  accountId: string,
  eventIds: string[],
): Promise<Map<string, string>> {
  if (eventIds.length === 0) return new Map();
  const rows = await readEventsToRebuild(tx, accountId, eventIds);
  const envelopes = rows.map((row) => ({ eventId: row.publicId, envelope: renderEnvelope(row) }));
  const stored = await storeRebuilt(tx, accountId, envelopes);
  return new Map(stored.map(({ id, publicId }) => [publicId, id]));
}

function readEventsToRebuild(tx: Transaction, accountId: string, eventIds: string[]): Promise<NotificationRow[]> {
  return tx.query<NotificationRow>({
    name: "read-events-to-rebuild",
    text: `
      select n.public_id as id, n.public_id as "publicId", n.account_id as "accountId", n.mode, n.type, n.occurred_at as "occurredAt",
        null as sequence, s.status as "sendStatus", null as facts, s.send, e.event, true as "isRebuilt"
      from unnest($2::uuid[]) with ordinality as given (id, position)
      cross join lateral ${indexLookup(`
        select events.id as public_id, events.account_id, events.mode, events.send_id, events.event_at as occurred_at,
          ${typeOfEvent("events")} as type
        from events
        where events.account_id = $1
          and events.id = given.id`)} as n
      cross join lateral ${indexLookup(sendOf("n.account_id", "n.send_id"))} as s
      cross join lateral ${indexLookup(eventOf("n"))} as e
      order by given.position`,
    values: [accountId, uuidArray(eventIds)],
    isPlannedEachTime: true,
  });
}

async function storeRebuilt(tx: Transaction, accountId: string, envelopes: { eventId: string; envelope: string }[]) {
  return tx.query<{ id: string; publicId: string }>({
    name: "store-rebuilt-notifications",
    text: `
      insert into notifications (id, public_id, account_id, mode, type, occurred_at, send_id, is_rebuilt, envelope)
      select new_id_at(now()), happened.id, $1, happened.mode, happened.type, happened.event_at, happened.send_id, true, given.envelope
      from unnest($2::uuid[], $3::text[]) as given (id, envelope)
      cross join lateral ${indexLookup(`
        select events.id, events.mode, events.event_at, events.send_id, ${typeOfEvent("events")} as type
        from events
        where events.account_id = $1
          and events.id = given.id`)} as happened
      order by happened.id
      returning id, public_id as "publicId"`,
    values: [
      accountId,
      uuidArray(envelopes.map(({ eventId }) => eventId)),
      textArray(envelopes.map(({ envelope }) => envelope)),
    ],
    isPlannedEachTime: true,
  });
}
