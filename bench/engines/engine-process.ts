import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptConcurrency, aSend, type Send } from "./workload.ts";

export interface Engine {
  openProducer(): Promise<{
    /** Resolves when the send is durable. */
    accept(send: Send): Promise<void>;
  }>;
  /** Claims sends, makes the call and marks them. It calls `sent` once the mark of a send is durable. */
  openWorker(sent: () => void): Promise<{
    /** The number of jobs that the engine still has to run or to delete. */
    left(): Promise<number>;
  }>;
}

/**
 * One process of an engine; the argument `produce` or `work` chooses the role. It prints `ready`, then reads counts from
 * stdin. For each count the producer accepts that many sends, the worker waits until that many more are sent, and the
 * process prints `done`. It exits at the end of its input.
 */
export async function runEngineProcess(engine: Engine): Promise<void> {
  const run = await (process.argv[2] === "produce" ? openProducer(engine) : openWorker(engine));
  print("ready");
  for await (const line of createInterface(process.stdin)) {
    await run(Number(line));
    print("done");
  }
  process.exit();
}

async function openProducer(engine: Engine) {
  const { accept } = await engine.openProducer();
  return async (count: number) => {
    let left = count;
    const acceptNext = async () => {
      while (left > 0) {
        left -= 1;
        await accept(aSend());
      }
    };
    await Promise.all(Array.from({ length: acceptConcurrency }, acceptNext));
  };
}

async function openWorker(engine: Engine) {
  let sent = 0;
  let expected = 0;
  let reached: () => void = () => undefined;
  const { left } = await engine.openWorker(() => {
    sent += 1;
    if (sent === expected) reached();
  });
  return async (count: number) => {
    expected += count;
    if (sent < expected) {
      await new Promise<void>((resolve) => {
        reached = resolve;
      });
    }
    // Sends that are marked in the record may still be in the queue; removing them is part of the measured work.
    while ((await left()) > 0) await sleep(2);
    if (sent !== expected) throw new Error(`${sent} sends were marked instead of ${expected}`);
  };
}

function print(word: "ready" | "done"): void {
  process.stdout.write(`${word}\n`);
}
