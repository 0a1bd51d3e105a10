import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { TestSender } from "../sends/sending-client.ts";

export interface ClosedLoop {
  port: number;
  connections: number;
  seconds: number;
  /** The time at the start that is not measured. */
  warmUpSeconds: number;
  senders: TestSender[];
}

export interface ClosedLoopResult {
  /** All answers, including those before and after the measured time. */
  acceptedInAll: number;
  /** Answers within the measured time. */
  accepted: number;
  refused: number;
  /** Other answers, and connections that closed without one. */
  failed: number;
  acceptedMs: { p50: number; p99: number };
  refusedMs: { p50: number; p99: number };
}

/**
 * Each connection sends its next mail when the last one is answered, and after a 503 it waits as `Retry-After` says. A thread of its own
 * and raw sockets, so that the load costs little of the CPU time that the API needs.
 */
export async function runClosedLoop(loop: ClosedLoop): Promise<ClosedLoopResult> {
  const thread = new Worker(new URL("./closed-loop-thread.ts", import.meta.url), { workerData: loop });
  try {
    const [result] = await once(thread, "message");
    return result;
  } finally {
    await thread.terminate();
  }
}
