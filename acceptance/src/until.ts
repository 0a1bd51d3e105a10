import { setTimeout as pause } from "node:timers/promises";

const pollIntervalMs = 60;

/** Reads until `isDone` accepts the value or the timeout ends, and returns the last value. The caller checks it. */
export async function until<Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  timeoutSeconds = 20,
): Promise<Value> {
  const end = performance.now() + timeoutSeconds * 1000;
  for (;;) {
    const value = await read();
    if (isDone(value) || performance.now() > end) return value;
    await pause(pollIntervalMs);
  }
}

/** Runs the work at the first call. Every later call gets the same result or the same failure. */
export function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
