import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { TestSender } from "../../../service/proofs/sends/sending-client.ts";

export interface LoadOptions {
  url: string;
  senders: TestSender[];
  perSecond: number;
  seconds: number;
}

export interface LoadResult {
  /** From the time at which each request was to start, so a request that waits for an earlier one counts its wait. */
  acceptedMs: Float64Array;
  /** The answers other than 202 by status; 0 for a broken connection. */
  others: Record<string, number>;
}

/** Sends mail at a fixed rate, whatever the answers, in a thread of its own, so that nothing but the API delays it. */
export async function offerLoad(options: LoadOptions, signal: AbortSignal): Promise<LoadResult> {
  const thread = new Worker(new URL("load-thread.ts", import.meta.url), { workerData: options });
  try {
    const [result] = (await once(thread, "message", { signal })) as [LoadResult];
    return result;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await thread.terminate();
  }
}
