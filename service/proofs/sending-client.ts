import { Agent, request } from "node:http";
import type { Database } from "../src/db/database.ts";
import type { CredentialDeps } from "../src/processes/api-deps.ts";
import { anAccount, anApiKey } from "../test/builders.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";

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

export interface SendingClient {
  /** Rejects when the connection is cut before the answer is there. */
  send(url: string, sender: TestSender, body: Record<string, unknown>): Promise<SendAnswer>;
  get(url: string, sender: TestSender): Promise<{ status: number; body: Record<string, unknown> }>;
  close(): void;
}

/** Accounts with a verified domain and a key; `limits` per second, ten seconds and minute where the published ones are too low. */
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
    const { key } = await anApiKey(db, apiKeyIssuer, accountId);
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

/** Plain HTTP over connections that are kept: `fetch` would cost more than what it measures. */
export function createSendingClient(maxSockets: number): SendingClient {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const exchange = (method: string, url: string, key: string, payload: string) =>
    new Promise<{ status: number; retryAfter: string | undefined; text: string }>((resolve, reject) => {
      const headers = {
        "x-api-key": key,
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
    async send(url, { key, from }, body) {
      const payload = JSON.stringify({ from, to: ["jane@example.io"], subject: "Hello", text: "Hi", ...body });
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

/** Works through `items` with so many under way at once. */
export async function inParallel<Item>(items: Iterable<Item>, atOnce: number, work: (item: Item) => Promise<void>) {
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
