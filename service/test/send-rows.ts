import { beforeEach } from "vitest";
import type { Database } from "../src/db/database.ts";

/** A claim serves all accounts, so each test of such a file starts with an empty queue and without pacing or hold. */
export function useEmptyQueue(database: { readonly db: Database }, { maxPerSecond = 1_000_000 } = {}): void {
  beforeEach(async () => {
    const { db } = database;
    await change(db, "delete from send_queue");
    await change(db, "select set_pace('live', 'epoch'), set_pace('test', 'epoch')");
    await change(
      db,
      `update feedback_progress
       set reported_submission_at = null, last_report_at = null, queue_empty_at = null, polled_at = null, polled_since = null,
         workers_up_at = null, workers_up_since = null, read_up_to = null, read_up_to_noted_at = null, confirmed_read_up_to = null`,
    );
    await change(db, "delete from feedback_consumers");
    await change(db, "delete from failover_marks");
    await change(
      db,
      "update domains set denied_since = null, denial_code = null, probe_at = null, probe_send_id = null where denied_since is not null",
    );
    await change(
      db,
      `update provider_state
       set max_per_second = ${maxPerSecond}, hold_reason = null, held_since = null, probe_at = null, held_for = '0',
         accepted_at = null, operator_held_since = null, operator_note = null, server = null, server_run = null, failover_at = null`,
    );
  });
}

/** Runs a statement of a test; a hash of the text is its name. */
export function change(db: Database, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return db.query<Record<string, unknown>>({ name: `test ${hash(text)}`, text, values });
}

function hash(text: string): string {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 2 ** 40;
  return sum.toString(36);
}

interface QueueRow {
  state: "ready" | "leased" | "waiting" | "in-doubt" | "parked";
  attempt: number;
  backoffStep: number;
  recipients: string[];
  /** Rounded; null for a ready send. */
  dueInSeconds: number | null;
  isRetrying: boolean;
}

/** Undefined when the send is no longer in the queue. */
export async function queueRow(db: Database, id: string): Promise<QueueRow | undefined> {
  const [row] = await db.query<QueueRow>({
    name: "queue-row",
    text: `
      select state, attempt, backoff_step as "backoffStep", recipients,
        round(extract(epoch from due_at - now()))::float8 as "dueInSeconds", retrying_since is not null as "isRetrying"
      from send_queue
      where id = $1`,
    values: [id],
  });
  return row;
}

interface SendRow {
  status: string;
  providerMessageId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  isDated: boolean;
}

export async function sendRow(db: Database, id: string): Promise<SendRow | undefined> {
  const [row] = await db.query<SendRow>({
    name: "send-row",
    text: `
      select status, provider_message_id as "providerMessageId", error_code as "errorCode",
        error_message as "errorMessage", sent_at is not null as "isDated"
      from sends
      where id = $1`,
    values: [id],
  });
  return row;
}

/** Each attempt as the text `<attempt> <outcome>`, oldest first. */
export async function attemptsOf(db: Database, id: string): Promise<string[]> {
  const rows = await db.query<{ text: string }>({
    name: "attempts-of",
    text: `
      select attempt || ' ' || outcome as text
      from send_attempts
      where send_id = $1
      order by attempt`,
    values: [id],
  });
  return rows.map((row) => row.text);
}
