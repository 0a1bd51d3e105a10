import { setTimeout as sleep } from "node:timers/promises";
import type { ProofTools } from "../../../scripts/proof.ts";
import { inParallel, type SendingClient, type TestSender } from "../sends/sending-client.ts";

/** As the SDK does: again with the same key after a 503 or a lost answer. */
const giveUpMs = 60_000;
const retryMs = 200;

export interface Load {
  /** By idempotency key. */
  ids: Map<string, string>;
  /** From the first try to the 202, with retries. */
  latenciesMs: number[];
  /** Answers other than 202 and 503. */
  unexpected: string[];
  retries: number;
  seconds: number;
}

interface LoadOptions {
  client: SendingClient;
  urls: string[];
  senders: TestSender[];
  prefix: string;
  progress: ProofTools["progress"];
}

/** One send every `1000 / perSecond` ms, whether or not earlier ones were answered. */
export async function sendPaced(options: LoadOptions, count: number, perSecond: number): Promise<Load> {
  const load = emptyLoad();
  const started = performance.now();
  const pending: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    await sleep(Math.max(0, started + (number * 1000) / perSecond - performance.now()));
    pending.push(sendOne(options, load, number));
    options.progress(`${options.prefix}: ${load.ids.size} of ${count} accepted, ${load.retries} retries`);
  }
  await Promise.all(pending);
  return finished(load, started);
}

/** As many as possible, with 64 requests at a time. */
export async function sendAtFullSpeed(options: LoadOptions, count: number): Promise<Load> {
  const load = emptyLoad();
  const started = performance.now();
  await inParallel(Array(count).keys(), 64, async (number) => {
    await sendOne(options, load, number);
    options.progress(`${options.prefix}: ${load.ids.size} of ${count} accepted`);
  });
  return finished(load, started);
}

async function sendOne({ client, urls, senders, prefix }: LoadOptions, load: Load, number: number): Promise<void> {
  const key = `${prefix}-${number}`;
  const sender = senders[number % senders.length] as TestSender;
  const began = performance.now();
  for (let tries = 0; performance.now() - began < giveUpMs; tries++) {
    // The other API after a failure, as a proxy would choose.
    const url = urls[(number + tries) % urls.length] ?? "";
    const body = { subject: key, text: "x".repeat(1500), idempotency_key: key };
    const answer = await client.send(url, sender, body).catch(() => undefined);
    if (answer?.status === 202) {
      load.ids.set(key, answer.body.id ?? "");
      load.latenciesMs.push(performance.now() - began);
      return;
    }
    if (answer !== undefined && answer.status !== 503)
      load.unexpected.push(`${answer.status} ${answer.body.error?.code}`);
    load.retries += 1;
    await sleep(retryMs);
  }
}

function emptyLoad(): Load {
  return { ids: new Map(), latenciesMs: [], unexpected: [], retries: 0, seconds: 0 };
}

function finished(load: Load, started: number): Load {
  load.latenciesMs.sort((one, other) => one - other);
  return { ...load, seconds: (performance.now() - started) / 1000 };
}

export function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
