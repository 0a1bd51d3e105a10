import { setTimeout as pause } from "node:timers/promises";

const everyMs = 60;

/** Reads again until it is as wished, or the patience is over; the last reading is what the caller then judges. */
export async function until<Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  patienceSeconds = 20,
): Promise<Value> {
  const end = performance.now() + patienceSeconds * 1000;
  for (;;) {
    const value = await read();
    if (isDone(value) || performance.now() > end) return value;
    await pause(everyMs);
  }
}

/** Runs the work at the first call; every later call gets the same result, or the same failure. */
export function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
