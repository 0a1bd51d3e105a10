import { randomUUIDv7 } from "node:crypto";
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import pg from "pg";

/**
 * A bare consumer: as many receivers as the worker has, the same SDK, both layers of JSON parsed, and the same rows stored
 * with one insert per batch of messages. It ignores sends: no status, suppression, in-doubt handling, quarantine or duplicates.
 */
const QueueUrl = process.env.AWS_FEEDBACK_QUEUE_URL;
/** One account for all events: this consumer does not look up sends. */
const accountId = randomUUIDv7();
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const sqs = new SQSClient({ maxAttempts: 1 });

interface Row {
  sendId: string;
  recipient: string;
  at: string;
}

let waiting: { rows: Row[]; stored: () => void }[] = [];
let isStoring = false;

await Promise.all(Array.from({ length: 12 }, receive));
await pool.end();

async function receive(): Promise<void> {
  for (;;) {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
    const { Messages = [] } = await sqs.send(command);
    if (Messages.length === 0) return;
    await store(Messages.flatMap(rowsIn));
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

function rowsIn({ Body = "" }: Message): Row[] {
  const event = JSON.parse(JSON.parse(Body).Message);
  if (event.eventType !== "Delivery") return [];
  const { recipients, timestamp } = event.delivery;
  return recipients.map((recipient: string) => {
    return { sendId: event.mail.tags.send_id[0], recipient, at: timestamp };
  });
}

/** Rows that arrive during an insert are stored by the next one. */
async function store(rows: Row[]): Promise<void> {
  const done = new Promise<void>((stored) => waiting.push({ rows, stored }));
  if (!isStoring) void storeAll();
  return done;
}

async function storeAll(): Promise<void> {
  isStoring = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    const rows = batch.flatMap((each) => each.rows);
    if (rows.length > 0) await insert(rows);
    for (const { stored } of batch) stored();
  }
  isStoring = false;
}

async function insert(rows: Row[]): Promise<void> {
  await pool.query({
    name: "insert",
    text: `
      insert into baseline_events (id, send_id, account_id, mode, event_type, recipient, event_at)
      select given.id, given.send_id, $1, 'live', 'Delivery', given.recipient, given.event_at
      from unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[]) as given (id, send_id, recipient, event_at)`,
    values: [
      accountId,
      rows.map(() => randomUUIDv7()),
      rows.map(({ sendId }) => sendId),
      rows.map(({ recipient }) => recipient),
      rows.map(({ at }) => at),
    ],
  });
}
