import type { AccountDatabase } from "../../db/database.ts";
import { equalByIndex, indexLookup } from "../../db/stable-plan.ts";
import { AppError } from "../../errors.ts";
import type { Mode } from "../../mode.ts";
import type { NotificationType } from "../notification-types.ts";
import { listenSeconds } from "./create-listener.ts";

export const maxTaken = 50;

export interface TakenNotification {
  /** What receivers see as `webhook-id`. */
  publicId: string;
  type: NotificationType;
  /** The bytes that every endpoint gets. */
  body: string;
}

interface Take {
  modes: readonly Mode[];
  listenerId: string;
  limit: number;
}

type TakenRow = { listensUntil: string } & (TakenNotification | { publicId: null });

/**
 * pending → delivered: removes the oldest due deliveries of the listener from the queue and returns their notifications, oldest first. The
 * listener exists for another minute. No later take returns them again: if the caller does not get the answer, they are lost.
 *
 * Takes of one listener run one at a time, so each sees what the one before it left. A deletion locks the listener before its deliveries.
 * So no row changes while this statement waits for it, which could crash PostgreSQL 18.4 (`runInOneSnapshot` in db/database.ts).
 */
export async function takeNotifications(
  db: AccountDatabase,
  { modes, listenerId, limit }: Take,
): Promise<{ notifications: TakenNotification[]; listensUntil: string }> {
  const rows = await db.query<TakenRow>({
    name: "take-notifications",
    text: `
      with listening as (
        update webhook_endpoints e
        set listens_until = now() + make_interval(secs => $4)
        where e.account_id = $1
          and e.mode = any ($2)
          and e.id = $3
          and e.listens_until > now()
        returning e.id, e.listens_until
      ), due as materialized (
        select oldest.delivery_id
        from listening
        cross join lateral (
          select q.delivery_id, q.priority, q.due_at, q.notification_id
          from webhook_queue q
          where q.account_id = $1
            and q.endpoint_id = listening.id
            and q.state = 'pending'
            and q.due_at <= now()
          -- The order of the index. One fan-out makes its deliveries due at the same time, so all of those are sorted below.
          order by q.priority, q.due_at
          fetch first $5 rows with ties
        ) as oldest
        order by oldest.priority, oldest.due_at, oldest.notification_id
        limit $5
      ), taken as (
        delete from webhook_queue q
        using due
        where q.account_id = $1
          and ${equalByIndex("q.delivery_id", "due.delivery_id")}
        returning q.delivery_id, q.notification_id, q.priority, q.due_at
      ), finished as (
        update webhook_deliveries d
        set state = 'delivered', finished_at = now()
        from taken
        where d.account_id = $1
          and ${equalByIndex("d.id", "taken.delivery_id")}
          and d.state = 'pending'
      )
      select listening.listens_until as "listensUntil", notification.public_id as "publicId", notification.type, notification.body
      from listening
      left join taken on true
      left join lateral ${indexLookup(`
        select n.public_id, n.type, n.envelope as body
        from notifications n
        where n.account_id = $1
          and n.id = taken.notification_id`)} as notification on true
      order by taken.priority, taken.due_at, taken.notification_id`,
    values: [db.accountId, modes, listenerId, listenSeconds, limit],
    isReadInOrder: true,
    oneAtATime: `listener ${db.accountId} ${listenerId}`,
  });
  const [first] = rows;
  if (first === undefined) throw noSuchListener();
  return {
    // A take without notifications has one row without any.
    notifications: rows.flatMap((row) =>
      row.publicId === null ? [] : [{ publicId: row.publicId, type: row.type, body: row.body }],
    ),
    listensUntil: first.listensUntil,
  };
}

export function noSuchListener(): AppError {
  return new AppError(
    "NOT_FOUND",
    `This account has no listener with this id. A listener ends ${listenSeconds} seconds after its last take: create another one.`,
  );
}
