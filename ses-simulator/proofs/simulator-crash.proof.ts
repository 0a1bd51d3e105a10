import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import type { LedgerRecord } from "../src/ledger/ledger-record.ts";
import { aMail, call, ses, sqs, wireFeedback } from "./raw-client.ts";
import { aFreePort, SimulatorProcess } from "./simulator-process.ts";

const senders = 16;
const sendsPerKill = 50;

export const proof: Proof = {
  promise: "kill -9 under load loses no accepted message and none of its events",
  size: { small: 100, full: 1000 },
  async run(size, tools) {
    const folder = mkdtempSync(join(tmpdir(), "simulator-crash-"));
    const simulator = new SimulatorProcess(await aFreePort(), folder);
    try {
      await simulator.start();
      await wireFeedback(simulator.port, "proof");
      const seen = new EventsSeen();
      const done = new AbortController();
      const consuming = consume(simulator.port, seen, done.signal);
      const answered = new Set<string>();
      const sending = Array.from({ length: senders }, () => sendUntil(simulator.port, answered, size));
      const kills = await killWhile(simulator, answered, size, tools);
      await Promise.all(sending);
      const ledger = await readLedger(simulator.port);
      await seen.waitForAll(ledger, tools);
      done.abort();
      await consuming;
      return judge({ answered, ledger, seen, kills });
    } finally {
      await simulator.kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Which events of which message have arrived, at least once. */
class EventsSeen {
  readonly #seen = new Map<string, Set<string>>();

  add(messageId: string, type: string): void {
    const types = this.#seen.get(messageId) ?? new Set();
    this.#seen.set(messageId, types.add(type));
  }

  missing(ledger: LedgerRecord[]): number {
    const expected = ledger.flatMap(({ messageId, events }) =>
      events.map(({ details }) => ({ messageId, type: details.type })),
    );
    return expected.filter(({ messageId, type }) => this.#seen.get(messageId)?.has(type) !== true).length;
  }

  async waitForAll(ledger: LedgerRecord[], tools: ProofTools): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (this.missing(ledger) > 0 && performance.now() < deadline) {
      tools.progress(`${this.missing(ledger)} events still to come`);
      await wait(50);
    }
  }
}

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
        const event: { eventType: string; mail: { messageId: string } } = JSON.parse(JSON.parse(message.Body).Message);
        seen.add(event.mail.messageId, event.eventType);
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

function judge({
  answered,
  ledger,
  seen,
  kills,
}: {
  answered: Set<string>;
  ledger: LedgerRecord[];
  seen: EventsSeen;
  kills: number;
}) {
  const ids = new Set(ledger.map(({ messageId }) => messageId));
  const lost = [...answered].filter((messageId) => !ids.has(messageId)).length;
  const repeated = ledger.length - ids.size;
  const missing = seen.missing(ledger);
  const unanswered = ledger.length - (answered.size - lost);
  return {
    figure:
      `${answered.size} answered sends, ${kills} kills: ${lost} missing in the ledger, ${repeated} listed twice, ` +
      `${missing} of ${ledger.length * 2} events missing (${unanswered} accepted without their answer arriving)`,
    holds: lost === 0 && repeated === 0 && missing === 0 && answered.size > 0 && ledger.length >= answered.size,
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
