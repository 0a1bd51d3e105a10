import pg from "pg";
import { textArray, uuidArray } from "../../../service/src/db/array-param.ts";
import { createBatch } from "../../../service/src/db/batch.ts";
import type { Send } from "../workload.ts";

/** Undefined when an engine is measured without a record. */
export const recordUrl = process.env.RECORD_URL;

interface Mark {
  id: string;
  messageId: string;
}

export interface SendRecord {
  insert(send: Send): Promise<void>;
  markSent(mark: Mark): Promise<void>;
}

/**
 * The record that a mail service needs with any queue: the send and its outcome. Calls that arrive during a round trip share
 * the next one.
 */
export function openRecord(): SendRecord {
  if (recordUrl === undefined) return { insert: async () => undefined, markSent: async () => undefined };
  const pool = new pg.Pool({ connectionString: recordUrl, max: 4 });
  return {
    insert: shared((sends) => pool.query(insertSends(sends))),
    markSent: shared((marks) => pool.query(markSends(marks))),
  };
}

/** Uses the batching and the array parameters of the service, so that they make no difference between the engines. */
export function shared<Item>(run: (items: Item[]) => Promise<unknown>): (item: Item) => Promise<void> {
  return createBatch<Item, void>({
    run: async (items) => {
      await run(items);
      return items.map(() => undefined);
    },
    maxItems: 200,
    maxBytes: 1_000_000,
    sizeOf: () => 1,
  });
}

export function insertSends(sends: Send[]) {
  return {
    name: "insert-sends",
    text: `
      insert into sends (id, status, from_address, to_address, subject)
      select id, 'queued', from_address, to_address, subject
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as given (id, from_address, to_address, subject)`,
    values: [
      uuidArray(sends.map(({ id }) => id)),
      textArray(sends.map(({ from }) => from)),
      textArray(sends.map(({ to }) => to)),
      textArray(sends.map(({ subject }) => subject)),
    ],
  };
}

export function markSends(marks: Mark[]) {
  return {
    name: "mark-sends",
    text: `
      update sends
      set status = 'sent', sent_at = now(), provider_message_id = given.message_id
      from unnest($1::uuid[], $2::text[]) as given (id, message_id)
      where sends.id = given.id`,
    values: [uuidArray(marks.map(({ id }) => id)), textArray(marks.map(({ messageId }) => messageId))],
  };
}
