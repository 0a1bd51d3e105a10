import type { Admission } from "./admission.ts";
import { isConnectionError, isContention, sqlState } from "./sql-state.ts";

interface BatchOptions<Item, Result> {
  /** One set-based statement that returns one result per item, in order. It must write its rows in key order. */
  run: (items: Item[]) => Promise<Result[]>;
  maxItems: number;
  maxBytes: number;
  sizeOf: (item: Item) => number;
  /** How many of `maxItems` an item takes, for an item that consists of several; 1 unless given. It is never split. */
  countOf?: (item: Item) => number;
  /** Refuses items that the database could not answer in time. Without it an item waits as long as it takes. */
  admission?: Admission;
  /** With `admission`, an item is refused when more bytes than this would wait with it. */
  maxWaitingBytes?: number;
  /** A second batch runs concurrently when at least this many items wait, and at least as many as the running batch has. */
  secondBatchFrom?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  bytes: number;
  count: number;
  since: number;
  /** On the clock of the admission. */
  enteredAt: number;
  /** How many items were in progress when it entered. */
  inProgress: number;
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
  const { maxWaitingBytes = never, secondBatchFrom = never, countOf = () => 1, admission } = options;
  const run: Run<Item, Result> =
    admission === undefined ? options.run : (items) => admission.roundTrip(() => options.run(items));
  const queue: Waiting<Item, Result>[] = [];
  let waitingBytes = 0;
  let waitingCount = 0;
  let running = 0;
  let lastSize = 0;
  let refusal: NodeJS.Timeout | undefined;

  function canStart(): boolean {
    if (running === 0) return queue.length > 0;
    if (running > 1 || secondBatchFrom === never) return false;
    return (
      waitingCount >= Math.max(secondBatchFrom, lastSize) ||
      (queue.length > 0 && admission?.hasStuckRoundTrip() === true)
    );
  }

  async function drain(): Promise<void> {
    while (canStart()) {
      running += 1;
      refuseLate();
      const batch = takeBatch(queue, options);
      const size = totalCount(batch);
      lastSize = size;
      waitingCount -= size;
      for (const { bytes } of batch) waitingBytes -= bytes;
      if (batch.length > 0) await settle(batch, run);
      running -= 1;
      admission?.leave(size);
      const last = batch.at(-1);
      if (last !== undefined) admission?.noteAnswered(performance.now() - last.since, last.inProgress);
    }
  }

  /** The caller of a late item has given up or soon will, and retries: running the item now would run it twice. */
  function refuseLate(): void {
    if (admission === undefined) return;
    const latest = admission.now() - admission.maxWaitMs();
    const late = queue.findIndex(({ enteredAt }) => enteredAt > latest);
    const refused = queue.splice(0, late === -1 ? queue.length : late);
    const count = totalCount(refused);
    waitingCount -= count;
    admission.leave(count);
    for (const { bytes, reject } of refused) {
      waitingBytes -= bytes;
      reject(admission.overloaded());
    }
  }

  /** One timer, for the oldest item that waits: a round trip that takes longer does not delay the refusal. */
  function refuseInTime(): void {
    const [oldest] = queue;
    if (admission === undefined || oldest === undefined || refusal !== undefined) return;
    const waitMs = oldest.enteredAt + admission.maxWaitMs() - admission.now();
    refusal = setTimeout(
      () => {
        refusal = undefined;
        refuseLate();
        // By now the running round trip may be stuck, and the others need not wait for it.
        if (canStart()) void drain();
        refuseInTime();
      },
      Math.max(10, Math.ceil(waitMs)),
    ).unref();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const bytes = options.sizeOf(item);
      if (admission !== undefined && waitingBytes + bytes > maxWaitingBytes && queue.length > 0)
        throw admission.overloaded();
      const count = countOf(item);
      // It throws for an item that is refused, which rejects the promise.
      const inProgress = admission?.enter(count) ?? 0;
      waitingBytes += bytes;
      waitingCount += count;
      const enteredAt = admission?.now() ?? 0;
      queue.push({ item, bytes, count, since: performance.now(), enteredAt, inProgress, resolve, reject });
      // A microtask later, so that callers of the same tick share the first batch.
      if (canStart()) queueMicrotask(() => void drain());
      refuseInTime();
    });
}

/** As many items as fit, and at least one: an item larger than the limit runs alone. */
function takeBatch<Item, Result>(queue: Waiting<Item, Result>[], limits: BatchOptions<Item, Result>) {
  let bytes = 0;
  let count = 0;
  let taken = 0;
  for (const waiting of queue) {
    if (taken > 0 && (count + waiting.count > limits.maxItems || bytes + waiting.bytes > limits.maxBytes)) break;
    bytes += waiting.bytes;
    count += waiting.count;
    taken += 1;
  }
  return queue.splice(0, taken);
}

function totalCount(waiting: { count: number }[]): number {
  return waiting.reduce((sum, { count }) => sum + count, 0);
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
