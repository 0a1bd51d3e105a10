import { textArray, uuidArray } from "../db/array-param.ts";
import type { Database, Transaction } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import { renderEnvelope } from "./envelope.ts";
import { readNotifications } from "./notification-rows.ts";
import { takeNewNotifications } from "./take-new-notifications.ts";

export interface FannedOut {
  taken: number;
  isMore: boolean;
}

/**
 * Writes the envelopes of about `limit` new notifications and a delivery for every endpoint that wants them, in one commit. Serves all
 * accounts. Returns how many notifications it took, and whether there may be more.
 */
export function fanOut(db: Database, limit: number): Promise<FannedOut> {
  return db.withTransaction(async (tx) => {
    const { ids, isMore } = await takeNewNotifications(tx, limit);
    if (ids.length === 0) return { taken: 0, isMore };
    const rows = await readNotifications(tx, ids);
    const envelopes = rows.map((row) => ({ id: row.id, envelope: renderEnvelope(row) }));
    // crash point: before-fan-out
    await storeDeliveries(tx, envelopes);
    return { taken: rows.length, isMore };
  });
}

/**
 * An endpoint that was disabled after the notification gets a delivery that is paused. One that was made after it gets none, and neither does one
 * that was disabled before it.
 */
async function storeDeliveries(tx: Transaction, envelopes: { id: string; envelope: string }[]): Promise<void> {
  await tx.query({
    name: "fan-out",
    text: `
      with given as materialized (
        select id, envelope
        from unnest($1::uuid[], $2::text[]) as given (id, envelope)
      ), rendered as (
        update notifications n
        set envelope = given.envelope
        from given
        where ${equalByIndex("n.id", "given.id")}
        returning n.id, n.public_id, n.account_id, n.mode, n.type, n.send_id
      ), added as (
        insert into webhook_deliveries (id, account_id, endpoint_id, notification_id, public_id, type, send_id)
        select new_id_at(now()), rendered.account_id, endpoint.id, rendered.id, rendered.public_id, rendered.type, rendered.send_id
        from rendered
        cross join lateral ${indexLookup(`
          select e.id
          from webhook_endpoints e
          where e.account_id = rendered.account_id
            and e.mode = rendered.mode
            and rendered.type = any (e.types)
            and e.created_at <= time_of_id(rendered.id) + interval '1 millisecond'
            and (e.disabled_at is null or e.disabled_at > time_of_id(rendered.id))
          -- Its deletion waits for this commit, and then cancels what it added.
          for key share`)} as endpoint
        order by rendered.id
        returning id, account_id, endpoint_id, notification_id
      )
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id, state)
      select added.id, added.account_id, added.endpoint_id, added.notification_id,
        case when e.disabled_at is null then 'pending' else 'paused' end
      from added
      join webhook_endpoints e on ${equalByIndex("e.id", "added.endpoint_id")}`,
    values: [uuidArray(envelopes.map(({ id }) => id)), textArray(envelopes.map(({ envelope }) => envelope))],
  });
}
