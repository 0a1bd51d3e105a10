import { integerArray, textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";

/** What became of one attempt. All that was not simply accepted at the first try is kept in `send_attempts`. */
export interface AttemptMade {
  sendId: string;
  attempt: number;
  startedAt: string;
  /** `returned`: the provider was not asked. */
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
  /** What this move needs beside the attempt. */
  columns: Column[];
  /** Which attempts are written down: all that were made, or only those that still counted. */
  recorded: "made" | "held";
  /** What becomes of the row in the queue: it is deleted, or changed. */
  queue: "delete from send_queue q using made" | `update send_queue q\n${string}from made`;
  /** What becomes of the record, if anything; `held` has what was moved. */
  record?: string;
}

const longestDetail = 1_000;

/**
 * The frame of every settlement. The attempt is the fence: a send moves only while its row in the queue still has this
 * attempt, leased or in doubt. What is known of the attempt is written either way. Returns for each whether it moved.
 *
 * Rows are taken in the order of their ids: the queue first, then the record. A plan is kept for as long as the connection,
 * and one that was made while the queue was empty would go on reading all of it: 147 ms for a claim of 100 among 3,000. So
 * rows are joined by `between` with both ends the same, an equality for which only an index can be used, and the state is
 * compared in a way that no index can answer.
 */
export async function settle(db: Queryable, settlement: Settlement): Promise<boolean[]> {
  const { name, made, columns, recorded, queue, record } = settlement;
  const names = columns.map((column) => `, ${column.name}`).join("");
  const parameters = columns.map((column, index) => `, $${index + 8}::${column.type}[]`).join("");
  const rows = await db.query<{ id: string; attempt: number }>({
    name,
    text: `
      with made as materialized (
        select id, attempt, started_at::timestamptz as started_at, outcome, provider_message_id, request_id, detail${names}
        from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]${parameters})
          as given (id, attempt, started_at, outcome, provider_message_id, request_id, detail${names})
        order by id
      ), held as (
        ${queue}
        where q.id between made.id and made.id and q.attempt between made.attempt and made.attempt
          and q.state || '' in ('leased', 'in-doubt')
        returning made.*
      ), recorded as (
        insert into send_attempts as known (send_id, attempt, started_at, outcome, provider_message_id, request_id, detail)
        select id, attempt, started_at, outcome, provider_message_id, request_id, detail
        from ${recorded}
        where attempt > 1 or outcome <> 'accepted'
        order by id, attempt
        on conflict (send_id, attempt) do update
        set outcome = excluded.outcome, ended_at = now(), provider_message_id = excluded.provider_message_id,
            request_id = excluded.request_id, detail = excluded.detail
        where known.outcome = 'unknown'
      )
      ${record === undefined ? "select id, attempt from held" : changeOf(record)}`,
    values: [...attemptColumns(made), ...columns.map((column) => column.values)],
    changesSends: true,
  });
  const moved = new Map(rows.map((row) => [row.id, row.attempt]));
  return made.map(({ sendId, attempt }) => moved.get(sendId) === attempt);
}

function changeOf(record: string): string {
  return `update sends
      set ${record}
      from held
      where sends.id between held.id and held.id and sends.status = 'queued'
      returning sends.id, held.attempt`;
}

function attemptColumns(made: AttemptMade[]): unknown[] {
  return [
    uuidArray(made.map(({ sendId }) => sendId)),
    integerArray(made.map(({ attempt }) => attempt)),
    textArray(made.map(({ startedAt }) => startedAt)),
    textArray(made.map(({ outcome }) => outcome)),
    textArray(made.map(({ providerMessageId = null }) => providerMessageId)),
    textArray(made.map(({ requestId = null }) => requestId)),
    textArray(made.map(({ detail }) => (detail === undefined ? null : storable(detail)))),
  ];
}

/** The provider's words: PostgreSQL takes no NUL, and nobody reads a page. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\u{fffd}").slice(0, longestDetail);
}
