import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { LedgerRecord } from "../src/ledger/ledger-record.ts";
import { EventsSeen } from "./events-seen.ts";
import { listenForPushes } from "./push-endpoint.ts";
import { aMail, call, createFeedbackPath, ses, sqs } from "./raw-client.ts";
import { aFreePort, SimulatorProcess } from "./simulator-process.ts";

const senders = 16;
const sendsPerKill = 50;

export const proof: Proof = {
  promise:
    "`kill -9` under load loses no accepted message and none of its events, in the queue and at the push endpoint",
  covers: ["ses-simulator/src"],
  size: { small: 100, full: 1000 },
  async run(size, tools) {
    const folder = mkdtempSync(join(tmpdir(), "simulator-crash-"));
    const simulator = new SimulatorProcess(await aFreePort(), folder);
    const pushed = new EventsSeen();
    const endpoint = await listenForPushes(pushed);
    try {
      await simulator.start();
      await createFeedbackPath(simulator.port, "proof");
      await endpoint.subscribe(simulator.port, "proof");
      const queued = new EventsSeen();
      const done = new AbortController();
      const consuming = consume(simulator.port, queued, done.signal);
      const load: Load = { answered: new Set(), interrupted: 0, isOver: false };
      const sending = Array.from({ length: senders }, () => keepSending(simulator.port, load));
      const kills = await killDuringLoad(load, simulator, size, tools);
      await Promise.all(sending);
      const ledger = await readLedger(simulator.port);
      await queued.waitForAll(ledger, tools);
      await pushed.waitForAll(ledger, tools);
      done.abort();
      await consuming;
      return evaluate({ load, ledger, missing: [queued.missing(ledger), pushed.missing(ledger)], kills });
    } finally {
      endpoint.close();
      await simulator.kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Load {
  answered: Set<string>;
  /** Sends that a kill interrupted. They prove that the kills hit a busy simulator. */
  interrupted: number;
  isOver: boolean;
}

/** After a kill, the loop sends a new mail; the ledger shows whether SES had accepted the interrupted one. */
async function keepSending(port: number, load: Load): Promise<void> {
  while (!load.isOver) {
    try {
      const mail = aMail(`send-${load.answered.size}`, { ConfigurationSetName: "proof" });
      load.answered.add(String((await ses(port, "POST", "/outbound-emails", mail)).MessageId));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ECONNREFUSED")) load.interrupted++;
    }
    // Without a pause, thousands of sends would run between two kills, and most kills would interrupt nothing.
    await wait(10 * Math.random());
  }
}

/** Kills at a random point within the next sends, so that the kills hit every stage of a send. The load continues. */
async function killDuringLoad(
  load: Load,
  simulator: SimulatorProcess,
  size: number,
  tools: ProofTools,
): Promise<number> {
  const killCount = size / sendsPerKill;
  for (let kills = 1; kills <= killCount; kills++) {
    const at = load.answered.size + 1 + Math.floor(Math.random() * sendsPerKill);
    while (load.answered.size < at) await wait(1);
    await simulator.kill("SIGKILL");
    tools.progress(`kill ${kills}, ${load.answered.size} sends answered, ${load.interrupted} interrupted`);
    await simulator.start();
  }
  while (load.answered.size < size) await wait(1);
  load.isOver = true;
  return killCount;
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

interface RunResult {
  load: Load;
  ledger: LedgerRecord[];
  missing: [byQueue: number, byPush: number];
  kills: number;
}

function evaluate({ load, ledger, missing, kills }: RunResult) {
  const { answered, interrupted } = load;
  const ids = new Set(ledger.map(({ messageId }) => messageId));
  const lost = [...answered].filter((messageId) => !ids.has(messageId)).length;
  const repeated = ledger.length - ids.size;
  const unanswered = ledger.length - (answered.size - lost);
  const [byQueue, byPush] = missing;
  return {
    figure:
      `${answered.size} answered sends, ${kills} kills: ${lost} missing in the ledger, ${repeated} listed twice, ` +
      `of ${ledger.length * 2} events ${byQueue} missing in the queue and ${byPush} at the push endpoint ` +
      `(the kills interrupted ${interrupted} sends, ${unanswered} of them after acceptance)`,
    holds: lost + repeated + byQueue + byPush === 0 && interrupted > 0,
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
