import Fastify from "fastify";
import pg from "pg";

/**
 * A minimal endpoint: it parses the same JSON, validates it with a schema, and stores the same row with one durable
 * INSERT per request. It has no API keys, limits, suppressions or idempotency, and stores the content unsealed.
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

interface Body {
  from: string;
  to: string[];
  subject: string;
  text: string;
  idempotency_key?: string;
}

const string = { type: "string" } as const;
const schema = {
  body: {
    type: "object",
    required: ["from", "to", "subject", "text"],
    properties: {
      from: string,
      to: { type: "array", items: string },
      subject: string,
      text: string,
      idempotency_key: string,
    },
  },
  response: {
    202: {
      type: "object",
      properties: {
        id: string,
        status: string,
        idempotency_key: string,
        queued_at: string,
        idempotent: { type: "boolean" },
      },
    },
  },
};

const app = Fastify();
app.post<{ Body: Body }>("/api/v1/send", { schema }, async (request, reply) => {
  const { from, to, subject, text, idempotency_key = crypto.randomUUID() } = request.body;
  const id = crypto.randomUUID();
  const queuedAt = new Date().toISOString();
  await pool.query({
    name: "store",
    text: "insert into plain_sends values ($1, $2, $3, $4, $5, $6, 'queued', $7)",
    values: [id, from, to, subject, text, idempotency_key, queuedAt],
  });
  return reply.code(202).send({ id, status: "queued", idempotency_key, queued_at: queuedAt, idempotent: false });
});
process.stdout.write(`${await app.listen({ port: 0, host: "127.0.0.1" })}\n`);
