import { createRequire } from "node:module";
import { join } from "node:path";
import pg from "pg";
import { contendersFolder } from "../../engines/install-contenders.ts";
import type { Mail, Stored } from "./serve-sends.ts";

/** The commands of ioredis that a baseline uses. */
interface Redis {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ...options: (string | number)[]): Promise<string | null>;
  del(key: string): Promise<number>;
}

interface Queue {
  add(name: string, data: { id: string }, options: { jobId: string }): Promise<unknown>;
  waitUntilReady(): Promise<unknown>;
}

/** BullMQ and its ioredis are not dependencies of the workspace: they are installed beside the contenders of the bench `engines`. */
const requireContender = createRequire(join(contendersFolder, "package.json"));
const bullmq: { Queue: new (name: string, options: object) => Queue } = requireContender("bullmq");
const ioredis: { Redis: new (options: object) => Redis } = requireContender("ioredis");
const connection = { host: "127.0.0.1", port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };

export function openRedis(): Redis {
  return new ioredis.Redis(connection);
}

export async function openQueue(): Promise<Queue> {
  const queue = new bullmq.Queue("sends", { connection, defaultJobOptions: { removeOnComplete: true } });
  await queue.waitUntilReady();
  return queue;
}

export async function openEmails(): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });
  await pool.query(`
    create table emails (
      id uuid primary key,
      account_id uuid,
      from_address text not null,
      to_addresses text[] not null,
      subject text not null,
      content text not null,
      status text not null,
      queued_at timestamptz not null
    );
    create index on emails (queued_at desc)`);
  return pool;
}

/** A row with the unsealed content, then a job with its id. A crash between the two leaves a mail that no worker finds. */
export async function storeAndQueue(
  { pool, queue, accountId }: { pool: pg.Pool; queue: Queue; accountId: string | null },
  id: string,
  { from, to, subject, text, idempotency_key: idempotencyKey }: Mail,
): Promise<Stored> {
  const queuedAt = new Date().toISOString();
  await pool.query({
    name: "store",
    text: "insert into emails values ($1, $2, $3, $4, $5, $6, 'queued', $7)",
    values: [id, accountId, from, to, subject, text, queuedAt],
  });
  await queue.add("send", { id }, { jobId: id });
  return { id, idempotencyKey: idempotencyKey ?? id, queuedAt, isRepeat: false };
}
