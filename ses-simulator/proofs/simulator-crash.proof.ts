import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { LedgerRecord } from "../src/ledger/ledger-record.ts";
import { EventsSeen } from "./events-seen.ts";
import { listenForPushes } from "./push-endpoint.ts";
import { aMail, call, ses, sqs, wireFeedback } from "./raw-client.ts";
import { aFreePort, SimulatorProcess } from "./simulator-process.ts";

const senders = 16;
const sendsPerKill = 50;

export const proof: Proof = {
  promise: "kill -9 under load loses no accepted message and none of its events, by queue and by push",
  size: { small: 100, full: 1000 },
  async run(size, tools) {
    const folder = mkdtempSync(join(tmpdir(), "simulator-crash-"));
    const simulator = new SimulatorProcess(await aFreePort(), folder);
    const pushed = new EventsSeen();
    const endpoint = await listenForPushes(pushed);
    try {
      await simulator.start();
      await wireFeedback(simulator.port, "proof");
      await endpoint.subscribe(simulator.port, "proof");
      const queued = new EventsSeen();
      const done = new AbortController();
      const consuming = consume(simulator.port, queued, done.signal);
      const answered = new Set<string>();
      const sending = Array.from({ length: senders }, () => sendUntil(simulator.port, answered, size));
      const kills = await killWhile(simulator, answered, size, tools);
      await Promise.all(sending);
      const ledger = await readLedger(simulator.port);
      await queued.waitForAll(ledger, tools);
      await pushed.waitForAll(ledger, tools);
      done.abort();
      await consuming;
      return judge({ answered, ledger, missing: [queued.missing(ledger), pushed.missing(ledger)], kills });
    } finally {
      endpoint.close();
      await simulator.kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** A send whose answer is lost to a kill is sent anew; the ledger will tell whether that made two. */
async function sendUntil(port: number, answered: Set<string>, size: number): Promise<void> {
  while (answered.size < size) {
    try {
      const mail = aMail(`send-${answered.size}`, { ConfigurationSetName: "proof" });
      answered.add(String((await ses(port, "POST", "/outbound-emails", mail)).MessageId));
    } catch {
      await wait(20);
    }
  }
}

async function killWhile(
  simulator: SimulatorProcess,
  answered: Set<string>,
  size: number,
  tools: ProofTools,
): Promise<number> {
  let kills = 0;
  while (kills < size / sendsPerKill) {
    // Somewhere inside the next stretch, so that a kill meets every stage of a send.
    const at = Math.min(size - 1, kills * sendsPerKill + Math.floor(Math.random() * sendsPerKill));
    while (answered.size < at) await wait(1);
    await simulator.kill("SIGKILL");
    kills++;
    tools.progress(`kill ${kills}, ${answered.size} sends answered`);
    await simulator.start();
  }
  return kills;
}

async function consume(port: number, seen: EventsSeen, done: AbortSignal): Promise<void> {
  const QueueUrl = "http://simulator/000000000000/proof";
  while (!done.aborted) {
    try {
      const received = await sqs(port, "ReceiveMessage", {
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        VisibilityTimeout: 1,
      });
      for (const message of messagesIn(received)) {
        seen.addFrom(message.Body);
        await sqs(port, "DeleteMessage", { QueueUrl, ReceiptHandle: message.ReceiptHandle });
      }
    } catch {
      await wait(20);
    }
  }
}

function messagesIn({ Messages = [] }: { Messages?: unknown }): { Body: string; ReceiptHandle: string }[] {
  return Array.isArray(Messages) ? Messages : [];
}

async function readLedger(port: number): Promise<LedgerRecord[]> {
  const lines = (await call(port, "GET", "/_simulator/ledger.ndjson", {})).trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

interface Outcome {
  answered: Set<string>;
  ledger: LedgerRecord[];
  missing: [byQueue: number, byPush: number];
  kills: number;
}

function judge({ answered, ledger, missing, kills }: Outcome) {
  const ids = new Set(ledger.map(({ messageId }) => messageId));
  const lost = [...answered].filter((messageId) => !ids.has(messageId)).length;
  const repeated = ledger.length - ids.size;
  const unanswered = ledger.length - (answered.size - lost);
  const [byQueue, byPush] = missing;
  return {
    figure:
      `${answered.size} answered sends, ${kills} kills: ${lost} missing in the ledger, ${repeated} listed twice, ` +
      `of ${ledger.length * 2} events ${byQueue} missing in the queue and ${byPush} at the push endpoint ` +
      `(${unanswered} accepted without their answer arriving)`,
    holds: lost + repeated + byQueue + byPush === 0 && answered.size > 0 && ledger.length >= answered.size,
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
