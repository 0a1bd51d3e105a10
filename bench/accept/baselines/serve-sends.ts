import Fastify from "fastify";

/** The part of a baseline that speaks HTTP: it parses the JSON of POST /api/v1/send and validates it with a schema. */
export interface Mail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  idempotency_key?: string;
}

export interface Stored {
  id: string;
  idempotencyKey: string;
  queuedAt: string;
  isRepeat: boolean;
}

/** An expected refusal. */
export class Refused extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
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

/** Prints the URL at which it listens. */
export async function serveSends(store: (mail: Mail, apiKey: string) => Promise<Stored>): Promise<void> {
  const app = Fastify();
  app.post<{ Body: Mail }>("/api/v1/send", { schema }, async (request, reply) => {
    const { id, idempotencyKey, queuedAt, isRepeat } = await store(request.body, String(request.headers["x-api-key"]));
    const answer = { id, status: "queued", idempotency_key: idempotencyKey, queued_at: queuedAt, idempotent: isRepeat };
    return reply.code(202).send(answer);
  });
  process.stdout.write(`${await app.listen({ port: 0, host: "127.0.0.1" })}\n`);
}
