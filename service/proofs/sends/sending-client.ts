import { Agent, request } from "node:http";
import type { Database } from "../../src/db/database.ts";
import type { CredentialDeps } from "../../src/processes/api-deps.ts";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";

export interface TestSender {
  accountId: string;
  key: string;
  from: string;
}

export interface SendAnswer {
  status: number;
  retryAfterSeconds: number | undefined;
  body: { id?: string; queued_at?: string; idempotent?: boolean; error?: { code: string } };
}

export interface BatchVerdict {
  status: number;
  send?: { id: string; idempotency_key: string; idempotent: boolean };
  error?: { code: string };
}

export interface BatchAnswer {
  status: number;
  body: { verdicts?: BatchVerdict[]; error?: { code: string } };
}

export interface SendingClient {
  /** Rejects when the connection closes before the answer is complete. */
  send(url: string, sender: TestSender, body: Record<string, unknown>): Promise<SendAnswer>;
  /** The mails have the sender and the fields of `send`. */
  sendBatch(url: string, sender: TestSender, mails: Record<string, unknown>[], batchKey?: string): Promise<BatchAnswer>;
  get(url: string, sender: TestSender): Promise<{ status: number; body: Record<string, unknown> }>;
  close(): void;
}

/** Creates accounts with a verified domain and a key. `limits` replace the default limits per second, 10 seconds and minute. */
export async function makeSenders(
  db: Database,
  { apiKeyIssuer }: CredentialDeps,
  count: number,
  limits?: [number, number, number],
): Promise<TestSender[]> {
  const senders: TestSender[] = [];
  for (let made = 0; made < count; made++) {
    const accountId = await anAccount(db);
    const domain = await aVerifiedDomain(db, accountId, senderDomain(made), apiKeyIssuer.cellCode);
    const { key } = await anApiKey(db, apiKeyIssuer, accountId, { scopes: ["send", "read"] });
    senders.push({ accountId, key, from: `orders@${domain}` });
  }
  if (limits !== undefined) {
    await db.query({
      name: "raise-all-limits",
      text: `update accounts set limit_per_second = $1, limit_per_10_seconds = $2, limit_per_minute = $3`,
      values: limits,
    });
  }
  return senders;
}

export function senderDomain(number: number): string {
  return `sender-${number}.io`;
}

const hello = { to: ["jane@example.io"], subject: "Hello", text: "Hi" };

/** Plain HTTP over keep-alive connections: `fetch` would use more CPU than the code under measurement. */
export function createSendingClient(maxSockets: number): SendingClient {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const exchange = (method: string, url: string, key: string, payload: string, batchKey?: string) =>
    new Promise<{ status: number; retryAfter: string | undefined; text: string }>((resolve, reject) => {
      const headers = {
        "x-api-key": key,
        ...(batchKey !== undefined && { "idempotency-key": batchKey }),
        ...(payload !== "" && { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
      };
      const outgoing = request(url, { method, agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const retryAfter = answer.headers["retry-after"];
          resolve({ status: answer.statusCode ?? 0, retryAfter, text: Buffer.concat(chunks).toString() });
        });
      });
      outgoing.on("error", reject);
      outgoing.end(payload);
    });
  return {
    async sendBatch(url, { key, from }, mails, batchKey) {
      const payload = JSON.stringify({ defaults: { from, ...hello }, mails });
      const { status, text } = await exchange("POST", `${url}/api/v1/send/batch`, key, payload, batchKey);
      return { status, body: JSON.parse(text) };
    },
    async send(url, { key, from }, body) {
      const payload = JSON.stringify({ from, ...hello, ...body });
      const { status, retryAfter, text } = await exchange("POST", `${url}/api/v1/send`, key, payload);
      const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
      return { status, retryAfterSeconds, body: JSON.parse(text) };
    },
    async get(url, { key }) {
      const { status, text } = await exchange("GET", url, key, "");
      return { status, body: JSON.parse(text) };
    },
    close: () => agent.destroy(),
  };
}

/** Runs `work` for each item, with up to `concurrency` items at the same time. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
) {
  const iterator = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}
