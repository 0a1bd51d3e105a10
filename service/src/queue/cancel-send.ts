import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase } from "../db/database.ts";
import { isVisible, type SendRecord, sendRecordColumns, type VisibleSends } from "../sends/send-store.ts";
import { cancelMessage, isCancellable, isCancellableScheduled } from "./cancelled-sends.ts";
import { failFound, failsSends } from "./fail-queued.ts";

/** A send of the account after the cancellation, or as it was when it could not be cancelled. */
export interface CancelledSend extends SendRecord {
  /** This request, or an earlier one, cancelled it. */
  isCancelled: boolean;
  /** Null when the send has left the queue. After a failover, a send that is not checked yet is in doubt. */
  queueState: "ready" | "waiting" | "parked" | "scheduled" | "leased" | "in-doubt" | null;
}

const message = "The sender cancelled this send while it was queued.";

/**
 * ready, waiting, parked or scheduled → failed with CANCELLED, for one send. Undefined when the caller sees no such send.
 *
 * The statement waits for a claim, a settlement, another cancellation or the move of a due send that has the row, then fails and runs again in a new
 * snapshot (db/database.ts). So it decides by the state that is committed, and no worker submits a cancelled send. The message says when the
 * outcome of an earlier attempt is unknown.
 */
export async function cancelSend(
  db: AccountDatabase,
  { modes, domain }: VisibleSends,
  id: string,
): Promise<CancelledSend | undefined> {
  const [row] = await db.query<CancelledSend & { message: string | null }>({
    name: "cancel-send",
    text: `
      with record as materialized (
        select ${sendRecordColumns}, coalesce(
            (select case when ${isCancellable("q")} or q.state = 'leased' then q.state else 'in-doubt' end from send_queue q where q.id = s.id),
            (select case when ${isCancellableScheduled("p")} then 'scheduled' else 'in-doubt' end from scheduled_sends p where p.id = s.id)
          ) as "queueState"
        from sends s
        where s.account_id = $1
          and ${isVisible("$2", "$4")}
          and s.id = $3
      ), found as materialized (
        select queued.id, 'CANCELLED' as error_code, ${cancelMessage("queued.id", "$5")} as error_message
        from record
        cross join lateral (
          select q.id
          from send_queue q
          where q.id = record.id
            and q.account_id = $1
            and ${isCancellable("q")}
          for update
        ) as queued
        union all
        select scheduled.id, 'CANCELLED', $5::text
        from record
        cross join lateral (
          select p.id
          from scheduled_sends p
          where p.id = record.id
            and p.account_id = $1
            and ${isCancellableScheduled("p")}
          for update
        ) as scheduled
      ), ${failFound}, ${auditEntry({
        action: "send.cancel",
        actor: "$6",
        target: { kind: "send", id: "record.id" },
        before: { state: `record."queueState"` },
        from: "record join failed on failed.id = record.id",
      })}
      select record.*, failed.id is not null as "isCancelled", found.error_message as message
      from record
      left join failed on failed.id = record.id
      left join found on found.id = record.id`,
    values: [db.accountId, modes, id, domain, message, JSON.stringify(db.actor)],
    isPlannedEachTime: true,
    ...failsSends,
  });
  if (row === undefined) return undefined;
  const { message: errorMessage, ...send } = row;
  if (send.isCancelled) return { ...send, status: "failed", errorCode: "CANCELLED", errorMessage };
  return { ...send, isCancelled: send.errorCode === "CANCELLED" };
}
