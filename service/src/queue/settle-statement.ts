import { integerArray, textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, withoutIndex } from "../db/stable-plan.ts";
import { storableText } from "../db/storable-text.ts";
import { countFailed, failedColumns } from "../usage/count-deltas.ts";
import { joinWatched, notifiedColumns, notify, numberNotification, watchedAccounts } from "../webhooks/notify-sends.ts";
import { uncountColumns, uncountQueued } from "./queued-recipients.ts";

/** The result of one attempt. `send_attempts` keeps every attempt except one that was accepted at the first try. */
export interface AttemptMade {
  sendId: string;
  attempt: number;
  startedAt: string;
  /** `returned`: nothing was submitted. */
  outcome: "accepted" | "refused" | "try-later" | "unknown" | "returned";
  providerMessageId?: string | undefined;
  requestId?: string | undefined;
  detail?: string | undefined;
}

interface Column {
  name: string;
  type: "text" | "float8" | "boolean";
  values: unknown[];
}

interface Settlement {
  name: string;
  made: AttemptMade[];
  /** What this move needs in addition to the attempt. */
  columns: Column[];
  /** Which attempts go to `send_attempts`: all of them, or only those that still own the send. */
  storedAttempts: "all" | "owned";
  /** What happens to the row in the queue, up to its `where`: `settle` appends the fence. */
  queueMove: "delete from send_queue q using attempts" | `update send_queue q\n${string}from attempts`;
  /** The columns of `sends` to set, if any; `owned` has the moved attempts. */
  recordUpdate?: string;
  /** What the account is notified of, if anything. A move to `failed` also counts in its usage. */
  notifies?: "send.sent" | "send.failed" | undefined;
}

/**
 * The statement behind every move of a claimed send. The attempt is the fence: a send moves only while its row in the queue has this
 * attempt and is leased or in doubt. Returns for each attempt whether its send moved. `sends.status` stays
 * `queued` until a final move; the published `processing` is derived from the queue.
 *
 * An attempt is stored even when it no longer owns the send. Two exceptions: a first attempt that was accepted needs no row, and
 * `markSent` leaves attempts that lost the send to `confirmSubmissions`.
 *
 * Rows are locked in the order of their ids, the queue before the record.
 */
export async function settle(db: Queryable, settlement: Settlement): Promise<boolean[]> {
  const { name, made, columns, storedAttempts, queueMove, recordUpdate, notifies } = settlement;
  const names = columns.map((column) => `, ${column.name}`).join("");
  const parameters = columns.map((column, index) => `, $${index + 8}::${column.type}[]`).join("");
  const rows = await db.query<{ id: string; attempt: number }>({
    name,
    text: `
      with attempts as materialized (
        select id, attempt, started_at::timestamptz as started_at, outcome, provider_message_id, request_id, detail${names}
        from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]${parameters})
          as given (id, attempt, started_at, outcome, provider_message_id, request_id, detail${names})
        order by id
      ), owned as (
        ${queueMove}
        where ${equalByIndex("q.id", "attempts.id")} and ${equalByIndex("q.attempt", "attempts.attempt")}
          and ${withoutIndex("q.state")} in ('leased', 'in-doubt')
        returning attempts.*, ${uncountColumns}
      ), ${queueMove.startsWith("delete") ? `uncounted as (${uncountQueued("owned")}\n      ), ` : ""}stored_attempts as (
        insert into send_attempts as earlier (send_id, attempt, started_at, outcome, provider_message_id, request_id, detail)
        select id, attempt, started_at, outcome, provider_message_id, request_id, detail
        from ${storedAttempts === "all" ? "attempts" : "owned"}
        where attempt > 1 or outcome <> 'accepted'
        order by id, attempt
        on conflict (send_id, attempt) do update
        set outcome = excluded.outcome, ended_at = now(), provider_message_id = excluded.provider_message_id,
            request_id = excluded.request_id, detail = excluded.detail
        where earlier.outcome = 'unknown' -- the stored row; any other outcome stays
      )${recordUpdate === undefined ? " select id, attempt from owned" : updateRecord(recordUpdate, notifies)}`,
    values: [...attemptColumns(made), ...columns.map((column) => column.values)],
    changesSends: true,
  });
  const moved = new Map(rows.map((row) => [row.id, row.attempt]));
  return made.map(({ sendId, attempt }) => moved.get(sendId) === attempt);
}

function updateRecord(columns: string, notifies: Settlement["notifies"]): string {
  if (notifies === undefined) {
    return `
      update sends
      set ${columns}
      from owned
      where ${isQueued}
      returning sends.id, owned.attempt`;
  }
  return `, ${watchedAccounts(notifies, "owned", { account: "queue_account_id", mode: "queue_mode" })}, moved as (
        update sends
        set ${columns}, ${numberNotification}
        from owned
        ${joinWatched("owned.queue_account_id", "owned.queue_mode")}
        where ${isQueued}
        returning sends.id, owned.attempt, ${notifiedColumns}, ${failedColumns}
      ), notified as (${notify(notifies, "moved")}
      )${notifies === "send.failed" ? `, usage as (${countFailed("moved", "+")}\n      )` : ""}
      select id, attempt from moved`;
}

const isQueued = `${equalByIndex("sends.id", "owned.id")} and sends.status = 'queued'`;

function attemptColumns(made: AttemptMade[]): unknown[] {
  return [
    uuidArray(made.map(({ sendId }) => sendId)),
    integerArray(made.map(({ attempt }) => attempt)),
    textArray(made.map(({ startedAt }) => startedAt)),
    textArray(made.map(({ outcome }) => outcome)),
    textArray(made.map(({ providerMessageId = null }) => providerMessageId)),
    textArray(made.map(({ requestId = null }) => requestId)),
    textArray(made.map(({ detail }) => (detail === undefined ? null : storableText(detail)))),
  ];
}
