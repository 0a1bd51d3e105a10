import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import { cancelMessage, isCancellable, isCancellableScheduled } from "./cancelled-sends.ts";
import { failFound, failsSends } from "./fail-queued.ts";

export interface ListedCancellation {
  sendIds: string[];
  /** The reason, for the customer. */
  message: string;
  actor: Actor;
}

/**
 * ready, waiting, parked or scheduled → failed with CANCELLED, for the listed sends of any account. A leased or in-doubt send may already be
 * with the provider and stays, and so does one that is not checked yet after a failover. Waits for rows that another statement has, and decides by what that one commits, like `cancelSend`.
 */
export async function cancelListed(db: Queryable, { sendIds, message, actor }: ListedCancellation): Promise<number> {
  const rows = await db.query({
    name: "cancel-listed-sends",
    text: `
      with queued as materialized (
        select q.id
        from send_queue q
        where q.id = any ($1::uuid[])
          and ${isCancellable("q")}
        order by q.id
        for update
      ), scheduled as materialized (
        select p.id
        from scheduled_sends p
        where p.id = any ($1::uuid[])
          and ${isCancellableScheduled("p")}
        order by p.id
        for update
      ), found as materialized (
        select id, 'CANCELLED' as error_code, ${cancelMessage("queued.id", "$2")} as error_message from queued
        union all
        select id, 'CANCELLED', $2::text from scheduled
      ), ${failFound}, ${auditEntry({
        action: "send.cancel",
        actor: "$3",
        account: "failed.account_id",
        target: { kind: "send", id: "failed.id" },
        from: "failed",
      })}
      select id
      from failed`,
    values: [sendIds, message, JSON.stringify(actor)],
    ...failsSends,
  });
  return rows.length;
}

/** The listed sends that are not final. */
export async function listUnfinished(db: Queryable, sendIds: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "list-unfinished",
    text: `
      select id
      from send_queue
      where id = any ($1::uuid[])
      union all
      select id
      from scheduled_sends
      where id = any ($1::uuid[])`,
    values: [sendIds],
  });
  return rows.map(({ id }) => id);
}

/** The unfinished sends to this recipient after the id `after`, a page of the queue at a time. Serves all accounts. */
export async function pageOfRecipient(
  db: Queryable,
  table: "send_queue" | "scheduled_sends",
  { recipient, accountId, after }: { recipient: string; accountId: string | undefined; after: string },
): Promise<{ last: string | null; sendIds: string[] }> {
  const [row] = await db.query<{ last: string | null; sendIds: string[] }>({
    name: `page-of-recipient-${table}`,
    text: `
      with page as materialized (
        select id, account_id, recipients
        from ${table}
        where id > $1
        order by id
        limit 20000
      )
      select max(id::text collate "C") as last,
        coalesce(array_agg(id) filter (where $2 = any (recipients) and ($3::uuid is null or account_id = $3)), '{}') as "sendIds"
      from page`,
    values: [after, recipient, accountId ?? null],
  });
  return row ?? { last: null, sendIds: [] };
}
