import { randomUUID } from "node:crypto";
import pg from "pg";
import { serveSends } from "./serve-sends.ts";

/**
 * A diagnostic, not a competitor: the same row with one durable INSERT per request. It has no API keys, limits, suppressions or
 * idempotency, and stores the content unsealed.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });
await pool.query(`
  create table plain_sends (
    id uuid primary key,
    from_address text not null,
    to_addresses text[] not null,
    subject text not null,
    content text not null,
    idempotency_key text,
    status text not null,
    queued_at timestamptz not null
  )`);

await serveSends(async ({ from, to, subject, text, idempotency_key: idempotencyKey = randomUUID() }) => {
  const id = randomUUID();
  const queuedAt = new Date().toISOString();
  await pool.query({
    name: "store",
    text: "insert into plain_sends values ($1, $2, $3, $4, $5, $6, 'queued', $7)",
    values: [id, from, to, subject, text, idempotencyKey, queuedAt],
  });
  return { id, idempotencyKey, queuedAt, isRepeat: false };
});
