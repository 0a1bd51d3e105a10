import { randomUUIDv7 } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import pg from "pg";
import { contendersFolder } from "../../engines/install-contenders.ts";
import { serveSends } from "./serve-sends.ts";

/**
 * The shape of useSend: a row in PostgreSQL, then a job with its id in BullMQ. Redis syncs every write to disk, because a 202 promises
 * that the mail is not lost. It has no API keys, limits, suppressions or idempotency, and stores the content unsealed. A crash between
 * row and job leaves a mail that no worker finds.
 */
interface Queue {
  add(name: string, data: { id: string }, options: { jobId: string }): Promise<unknown>;
  waitUntilReady(): Promise<unknown>;
}

// BullMQ is not a dependency of the workspace: it is installed beside the contenders of the bench `engines`.
const bullmq: { Queue: new (name: string, options: object) => Queue } = createRequire(
  join(contendersFolder, "package.json"),
)("bullmq");
const connection = { host: "127.0.0.1", port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
const queue = new bullmq.Queue("sends", { connection, defaultJobOptions: { removeOnComplete: true } });
await queue.waitUntilReady();

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });
await pool.query(`
  create table emails (
    id uuid primary key,
    from_address text not null,
    to_addresses text[] not null,
    subject text not null,
    content text not null,
    idempotency_key text,
    status text not null,
    queued_at timestamptz not null
  )`);

await serveSends(async ({ from, to, subject, text, idempotency_key: idempotencyKey }) => {
  const id = randomUUIDv7();
  const queuedAt = new Date().toISOString();
  await pool.query({
    name: "store",
    text: "insert into emails values ($1, $2, $3, $4, $5, $6, 'queued', $7)",
    values: [id, from, to, subject, text, idempotencyKey, queuedAt],
  });
  await queue.add("send", { id }, { jobId: id });
  return { id, idempotencyKey: idempotencyKey ?? id, queuedAt, isRepeat: false };
});
