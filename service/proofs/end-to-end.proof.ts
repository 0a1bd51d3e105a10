import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startSesSimulator } from "@postern/ses-simulator";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { Database } from "../src/db/database.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { type PosternProcess, spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import {
  createSendingClient,
  inParallel,
  makeSenders,
  type SendingClient,
  senderDomain,
  type TestSender,
} from "./sends/sending-client.ts";

const fullSize = 20_000;
const accounts = 100;
const perSecond = 200;
const maxP50Ms = 40;

export const proof: Proof = {
  promise: "Every accepted send is in the provider's ledger and in the database exactly once, within milliseconds",
  covers: sendPath,
  size: { small: 300, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const simulator = await startSesSimulator({
      maxSendRate: 5_000,
      verifiedIdentities: Array.from({ length: accounts }, (_, number) => senderDomain(number)),
    });
    const processes: PosternProcess[] = [];
    const client = createSendingClient(64);
    try {
      return await withSimulatedCell(serverUrl, simulator, async (cell) => {
        const senders = await makeSenders(cell.db, cell, accounts, [100_000, 1_000_000, 6_000_000]);
        await createSet(simulator);
        for (const role of ["worker", "worker", "api"] as const)
          processes.push(await spawnPostern(role, cell.environment));
        const url = processes.at(-1)?.url ?? "";
        await untilRateIsKnown(cell.db);
        const load = await sendAll({ client, senders, url, db: cell.db }, size, progress);
        const paced = await sendPaced({ client, senders, url, db: cell.db }, size === fullSize ? 4_000 : 200, progress);
        const differences = await compare(cell.db, simulator.url, size + paced.sends);
        return {
          figure:
            `${size} sends at full speed: ${load.acceptedPerSecond} accepted and ${load.drainedPerSecond} drained a second; ` +
            `${paced.sends} at ${perSecond} a second: from 202 to sent p50 ${paced.p50Ms.toFixed(1)} ms, p99 ${paced.p99Ms.toFixed(1)} ms, ` +
            `including the provider's own time; ledger and database differ in ${differences} sends`,
          holds: differences === 0 && (size < fullSize || paced.p50Ms < maxP50Ms),
        };
      });
    } finally {
      client.close();
      for (const { kill, exited } of processes) {
        kill("SIGKILL");
        await exited;
      }
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    }
  },
};

interface Fixture {
  client: SendingClient;
  senders: TestSender[];
  url: string;
  db: Database;
}

async function createSet({ url, region }: { url: string; region: string }): Promise<void> {
  const provider = createSesProvider({ region, endpoint: url, accountId: "000000000000", partition: "aws" });
  await provider.createConfigurationSet("postern-AA");
}

/** A worker reads the rate when it starts; until then it sends one mail a second. */
async function untilRateIsKnown(db: Database): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const [row] = await db.query<{ rate: number | null }>({
      name: "known-rate",
      text: `select max_per_second as rate from provider_state where mode = 'live'`,
    });
    if (row?.rate !== null) return;
    await sleep(100);
  }
  throw new Error("no worker has read the quota");
}

async function sendAll({ client, senders, url, db }: Fixture, count: number, progress: ProofTools["progress"]) {
  const started = performance.now();
  let accepted = 0;
  await inParallel(Array(count).keys(), 64, async (number) => {
    const sender = senders[number % senders.length] as TestSender;
    const { status } = await sendUntilAnswered(client, url, sender, {
      text: "x".repeat(1500),
      idempotency_key: `mail-${number}`,
    });
    if (status !== 202) throw new Error(`a send was answered ${status}`);
    accepted += 1;
    progress(`${accepted} of ${count} accepted`);
  });
  const acceptedAt = performance.now();
  await untilDrained(db, progress);
  const rate = (until: number) => Math.round(count / ((until - started) / 1000));
  return { acceptedPerSecond: rate(acceptedAt), drainedPerSecond: rate(performance.now()) };
}

/** As the SDK does: after a 503 with the same key, when the answer says so. */
async function sendUntilAnswered(
  client: SendingClient,
  url: string,
  sender: TestSender,
  body: { text?: string; idempotency_key: string },
) {
  for (let tries = 1; ; tries++) {
    const answer = await client.send(url, sender, body);
    if (answer.status !== 503 || tries === 10) return answer;
    await sleep((answer.retryAfterSeconds ?? 0) * 1000);
  }
}

async function untilDrained(db: Database, progress: ProofTools["progress"]): Promise<void> {
  for (let tries = 0; tries < 6_000; tries++) {
    const [row] = await db.query<{ left: number }>({ name: "left", text: `select count(*) as left from send_queue` });
    if (row?.left === 0) return;
    progress(`${row?.left} still queued`);
    await sleep(50);
  }
  throw new Error("the queue was not drained within five minutes");
}

/** One send every 5 ms. The delay runs from the arrival of the 202 to `sent_at`, on the clock of one machine. */
async function sendPaced({ client, senders, url, db }: Fixture, count: number, progress: ProofTools["progress"]) {
  const answeredAt = new Map<string, number>();
  const started = performance.now();
  const pending: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, started + (number * 1000) / perSecond - performance.now()));
    const sender = senders[number % senders.length] as TestSender;
    pending.push(
      sendUntilAnswered(client, url, sender, { idempotency_key: `paced-${number}` }).then(({ body }) => {
        answeredAt.set(body.id ?? "", performance.timeOrigin + performance.now());
      }),
    );
    progress(`${number + 1} of ${count} at ${perSecond} a second`);
  }
  await Promise.all(pending);
  await untilDrained(db, progress);
  const rows = await db.query<{ id: string; sentMs: number }>({
    name: "sent-times",
    text: `
      select id, extract(epoch from sent_at)::float8 * 1000 as "sentMs"
      from sends
      where id = any($1::uuid[])`,
    values: [[...answeredAt.keys()]],
  });
  const delays = rows.map(({ id, sentMs }) => sentMs - (answeredAt.get(id) ?? 0)).toSorted((one, other) => one - other);
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  return { sends: count, p50Ms: at(0.5), p99Ms: at(0.99) };
}

interface LedgerLine {
  messageId: string;
  tags: Record<string, string[]>;
}

/** The number of sends that are missing, doubled or have different message ids in ledger and database. */
async function compare(db: Database, simulatorUrl: string, expected: number): Promise<number> {
  const lines = (await (await fetch(`${simulatorUrl}/_simulator/ledger.ndjson`)).text()).trim().split("\n");
  const ledger = new Map<string, string[]>();
  for (const line of lines) {
    const entry: LedgerLine = JSON.parse(line);
    const sendId = entry.tags.send_id?.[0] ?? "";
    ledger.set(sendId, [...(ledger.get(sendId) ?? []), entry.messageId]);
  }
  const rows = await db.query<{ id: string; status: string; messageId: string | null }>({
    name: "all-sends",
    text: `select id, status, provider_message_id as "messageId" from sends`,
  });
  const different = rows.filter(({ id, status, messageId }) => {
    const [first, ...more] = ledger.get(id) ?? [];
    return status !== "sent" || more.length > 0 || first === undefined || first !== messageId;
  });
  return different.length + Math.abs(rows.length - expected) + Math.abs(ledger.size - expected);
}
