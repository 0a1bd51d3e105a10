import { AppError } from "../errors.ts";
import { isConnectionError, isContention, sqlState } from "./sql-state.ts";

interface BatchOptions<Item, Result> {
  /** One set-based statement that returns one result per item, in order. It must write its rows in key order. */
  run: (items: Item[]) => Promise<Result[]>;
  maxItems: number;
  maxBytes: number;
  sizeOf: (item: Item) => number;
  /** An item is refused when more bytes than this would wait with it, or when it has waited longer than `maxWaitMs`. */
  maxWaitingBytes?: number;
  maxWaitMs?: number;
  /** A second batch runs concurrently when at least this many items wait, and at least as many as the running batch has. */
  secondBatchFrom?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  bytes: number;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const contentionTries = 4;

/**
 * Shares round trips: items that arrive while a batch runs go into the next one. There is no timer, so a single item runs
 * immediately. Each caller gets its own result, and an item that the database refuses does not fail the others.
 */
export function createBatch<Item, Result>(options: BatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  const never = Number.POSITIVE_INFINITY;
  const { maxWaitingBytes = never, maxWaitMs = never, secondBatchFrom = never } = options;
  const queue: Waiting<Item, Result>[] = [];
  let waitingBytes = 0;
  let running = 0;
  let lastSize = 0;

  function canStart(): boolean {
    if (running === 0) return queue.length > 0;
    return running === 1 && queue.length >= Math.max(secondBatchFrom, lastSize);
  }

  async function drain(): Promise<void> {
    while (canStart()) {
      running += 1;
      const batch = takeBatch(queue, options);
      lastSize = batch.length;
      for (const { bytes } of batch) waitingBytes -= bytes;
      // The caller has given up or soon will, and retries: running the item now would run it twice.
      const [late, timely] = partition(batch, ({ since }) => performance.now() - since > maxWaitMs);
      for (const waiting of late) waiting.reject(overloaded());
      if (timely.length > 0) await settle(timely, options.run);
      running -= 1;
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const bytes = options.sizeOf(item);
      if (waitingBytes + bytes > maxWaitingBytes && queue.length > 0) {
        reject(overloaded());
        return;
      }
      waitingBytes += bytes;
      queue.push({ item, bytes, since: performance.now(), resolve, reject });
      // A microtask later, so that callers of the same tick share the first batch.
      if (canStart()) queueMicrotask(() => void drain());
    });
}

function partition<Item>(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** The item never ran, so the caller can retry it safely. */
function overloaded(): AppError {
  return new AppError("UNAVAILABLE", "The database is overloaded at the moment. Try again shortly.", {
    retryAfterSeconds: 2,
  });
}

/** As many items as fit, and at least one: an item larger than the limit runs alone. */
function takeBatch<Item, Result>(queue: Waiting<Item, Result>[], limits: BatchOptions<Item, Result>) {
  let bytes = 0;
  let count = 0;
  for (const waiting of queue) {
    if (count > 0 && (count === limits.maxItems || bytes + waiting.bytes > limits.maxBytes)) break;
    bytes += waiting.bytes;
    count += 1;
  }
  return queue.splice(0, count);
}

type Run<Item, Result> = BatchOptions<Item, Result>["run"];

async function settle<Item, Result>(batch: Waiting<Item, Result>[], run: Run<Item, Result>): Promise<void> {
  try {
    await answer(batch, run);
  } catch (error) {
    if (batch.length === 1 || !isCausedByItem(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) await answer([waiting], run).catch(waiting.reject);
  }
}

async function answer<Item, Result>(batch: Waiting<Item, Result>[], run: Run<Item, Result>): Promise<void> {
  const results = await runWithRetries(batch, run);
  if (results.length !== batch.length) {
    throw new Error(`a batch of ${batch.length} items got ${results.length} results`);
  }
  for (const [position, waiting] of batch.entries()) waiting.resolve(results[position] as Result);
}

async function runWithRetries<Item, Result>(batch: Waiting<Item, Result>[], run: Run<Item, Result>) {
  const items = batch.map((waiting) => waiting.item);
  for (let tries = 1; ; tries++) {
    try {
      return await run(items);
    } catch (error) {
      if (!isContention(error) || tries === contentionTries) throw error;
    }
  }
}

/**
 * True when the server refused the statement because of one item: nothing was stored, and the other items can run without
 * it. False for contention and server problems, which no item causes, and for a lost connection, after which the batch may
 * have been committed.
 */
function isCausedByItem(error: unknown): boolean {
  return sqlState(error) !== undefined && !isContention(error) && !isConnectionError(error);
}
