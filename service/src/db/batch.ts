import { AppError } from "../errors.ts";
import { isConnectionError, isContention, sqlState } from "./sql-state.ts";

interface BatchOptions<Item, Result> {
  /** One set-based statement; answers in the order of its items. It orders its own rows by key (conventions, SQL). */
  run: (items: Item[]) => Promise<Result[]>;
  maxItems: number;
  maxBytes: number;
  sizeOf: (item: Item) => number;
  /** What would wait behind more than this is refused, and so is what has waited longer than `maxWaitMs`. */
  maxWaitingBytes?: number;
  maxWaitMs?: number;
  /** Where so many wait, and as many as the trip under way carries, a second one is made beside it; otherwise never. */
  secondTripFrom?: number;
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
 * Shares round trips: what arrives while one is in flight goes with the next. There is no timer, so a lone caller never
 * waits for company. Each caller gets its own result, and an item the database refuses does not fail its neighbours.
 */
export function createBatch<Item, Result>(options: BatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  const never = Number.POSITIVE_INFINITY;
  const { maxWaitingBytes = never, maxWaitMs = never, secondTripFrom = never } = options;
  const queue: Waiting<Item, Result>[] = [];
  let waitingBytes = 0;
  let underWay = 0;
  let lastCarried = 0;

  function isTimeToGo(): boolean {
    if (underWay === 0) return queue.length > 0;
    return underWay === 1 && queue.length >= Math.max(secondTripFrom, lastCarried);
  }

  async function drain(): Promise<void> {
    while (isTimeToGo()) {
      underWay += 1;
      const batch = takeBatch(queue, options);
      lastCarried = batch.length;
      for (const { bytes } of batch) waitingBytes -= bytes;
      // Whoever asked has given up by now or soon will; done after that, it would be done twice.
      const [late, timely] = split(batch, ({ since }) => performance.now() - since > maxWaitMs);
      for (const waiting of late) waiting.reject(overloaded());
      if (timely.length > 0) await settle(timely, options.run);
      underWay -= 1;
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
      // A microtask later, so that callers of the same tick share the first trip.
      if (isTimeToGo()) queueMicrotask(() => void drain());
    });
}

function split<Item>(items: Item[], belongs: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

/** Nothing was tried, so it may be tried again. */
function overloaded(): AppError {
  return new AppError("UNAVAILABLE", "The database does not keep up at the moment. Try again shortly.", {
    retryAfterSeconds: 2,
  });
}

/** As many as fit, and always at least one: an item larger than the limit travels alone. */
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
    if (batch.length === 1 || !isFaultOfAnItem(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) await answer([waiting], run).catch(waiting.reject);
  }
}

async function answer<Item, Result>(batch: Waiting<Item, Result>[], run: Run<Item, Result>): Promise<void> {
  const results = await runThroughContention(batch, run);
  if (results.length !== batch.length) {
    throw new Error(`a batch of ${batch.length} items got ${results.length} results`);
  }
  for (const [position, waiting] of batch.entries()) waiting.resolve(results[position] as Result);
}

async function runThroughContention<Item, Result>(batch: Waiting<Item, Result>[], run: Run<Item, Result>) {
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
 * A refusal the server answered with: nothing was stored, and the others may go in without the one it is about. A lost
 * connection proves nothing (a commit may have happened), and trouble of the server or contention is nobody's fault.
 */
function isFaultOfAnItem(error: unknown): boolean {
  return sqlState(error) !== undefined && !isContention(error) && !isConnectionError(error);
}
