import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptedAtOnce, aSend, type Send } from "./workload.ts";

export interface Engine {
  openFiller(): Promise<{
    /** Ends when the send is durable. */
    accept(send: Send): Promise<void>;
  }>;
  /** Takes sends, makes the call, marks them; `sent` is to be called when a send is marked as sent for good. */
  openWorker(sent: () => void): Promise<{
    /** How many the engine still has to do or to forget. */
    left(): Promise<number>;
  }>;
}

/**
 * One process of an engine, `fill` or `work` by its argument. It says `ready`, then reads numbers: the filler accepts so many
 * sends, the worker waits until so many more are sent. Each says `done` afterwards, and both end with their input.
 */
export async function runEngineProcess(engine: Engine): Promise<void> {
  const obey = await (process.argv[2] === "fill" ? openFiller(engine) : openWorker(engine));
  say("ready");
  for await (const line of createInterface(process.stdin)) {
    await obey(Number(line));
    say("done");
  }
  process.exit();
}

async function openFiller(engine: Engine) {
  const { accept } = await engine.openFiller();
  return async (count: number) => {
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await accept(aSend());
      }
    };
    await Promise.all(Array.from({ length: acceptedAtOnce }, lane));
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
    // What is marked in the record may still have to be marked in the queue, and that is work as well.
    while ((await left()) > 0) await sleep(2);
    if (sent !== expected) throw new Error(`${sent} marked instead of ${expected}`);
  };
}

function say(word: "ready" | "done"): void {
  process.stdout.write(`${word}\n`);
}
