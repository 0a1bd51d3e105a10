import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { DurableMap } from "../disk/durable-maps.ts";
import { maxInFlight, numberAttribute, type Queue, type QueuedMessage, type Receipt, redriveOf } from "./queue.ts";
import { SqsError } from "./sqs-error.ts";

export interface ReceivedMessage {
  message: QueuedMessage;
  receipt: Receipt;
}

interface Kept {
  queues: DurableMap<Queue>;
  messages: DurableMap<QueuedMessage>;
  receipts: DurableMap<Receipt>;
}

/** Which messages of a queue can be taken now, and who waits for one. Rebuilt from the maps at start. */
interface Desk {
  ready: Set<string>;
  hidden: Map<string, () => void>;
  waiting: Set<() => void>;
}

/** Standard queues: at least once, in no promised order. */
export class Queues {
  readonly #kept: Kept;
  readonly #clock: Clock;
  readonly #allDeps = new Map<string, Desk>();

  constructor(kept: Kept, clock: Clock) {
    this.#kept = kept;
    this.#clock = clock;
    for (const message of kept.messages.values()) this.#place(message);
  }

  find(name: string): Queue | undefined {
    return this.#kept.queues.get(name);
  }

  findByArn(arn: string): Queue | undefined {
    const queue = this.find(arn.slice(arn.lastIndexOf(":") + 1));
    return queue?.arn === arn ? queue : undefined;
  }

  list(): Queue[] {
    return [...this.#kept.queues.values()];
  }

  save(queue: Queue): void {
    this.#kept.queues.set(queue.name, queue);
  }

  remove(name: string): void {
    this.purge(name);
    this.#kept.queues.delete(name);
    this.#allDeps.delete(name);
  }

  purge(name: string): void {
    for (const message of this.#kept.messages.values()) if (message.queue === name) this.#drop(message);
  }

  counts(name: string): { ready: number; inFlight: number } {
    const deps = this.#deps(name);
    return { ready: deps.ready.size, inFlight: deps.hidden.size };
  }

  add(name: string, body: string): QueuedMessage {
    const md5 = createHash("md5").update(body).digest("hex");
    const message = { id: randomUUID(), queue: name, body, md5, sentAt: this.#clock.now() };
    this.#kept.messages.set(message.id, message);
    this.#place(message);
    return message;
  }

  take(queue: Queue, count: number, visibilitySeconds: number): ReceivedMessage[] {
    const deps = this.#deps(queue.name);
    if (deps.hidden.size >= maxInFlight) {
      throw new SqsError("OverLimit", "The maximum number of in flight messages is reached.");
    }
    const taken: QueuedMessage[] = [];
    for (const id of deps.ready) {
      if (taken.length === count) break;
      const message = this.#kept.messages.get(id);
      deps.ready.delete(id);
      if (message === undefined || this.#hasLapsed(queue, message) || this.#isPoison(queue, message)) continue;
      taken.push(message);
    }
    // Hidden after the loop: with a visibility of 0 a message is ready again at once and would be taken twice.
    return taken.map((message) => ({ message, receipt: this.#hide(message, visibilitySeconds) }));
  }

  /** Waits until a message can be taken or the time is over, whichever is first. */
  waitFor(name: string, seconds: number, given: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const deps = this.#deps(name);
    const timer = setTimeout(resolve, seconds * 1000);
    deps.waiting.add(resolve);
    given.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      deps.waiting.delete(resolve);
    });
  }

  /** A handle of an earlier receive succeeds and deletes nothing, as with SQS; so does one of a message long gone. */
  delete(name: string, messageId: string, receiveCount: number): void {
    const message = this.#kept.messages.get(messageId);
    if (message?.queue === name && this.#kept.receipts.get(messageId)?.count === receiveCount) this.#drop(message);
  }

  changeVisibility(name: string, messageId: string, seconds: number): void {
    const message = this.#kept.messages.get(messageId);
    const receipt = this.#kept.receipts.get(messageId);
    const deps = this.#deps(name);
    if (message === undefined || receipt === undefined || !deps.hidden.has(messageId)) {
      throw new SqsError("MessageNotInflight", "The message referred to is not in flight.");
    }
    this.#show(deps, messageId);
    this.#kept.receipts.set(messageId, { ...receipt, visibleAt: this.#clock.now() + seconds * 1000 });
    this.#place(message);
  }

  /** Leaves a message for the next receiver although one has it: the duplicate that SQS allows itself. */
  showAgain(message: QueuedMessage): void {
    const deps = this.#deps(message.queue);
    this.#show(deps, message.id);
    this.#makeReady(deps, message.id);
  }

  #deps(name: string): Desk {
    const deps = this.#allDeps.get(name) ?? { ready: new Set(), hidden: new Map(), waiting: new Set() };
    this.#allDeps.set(name, deps);
    return deps;
  }

  #hide(message: QueuedMessage, seconds: number): Receipt {
    const now = this.#clock.now();
    const known = this.#kept.receipts.get(message.id);
    const receipt = { count: (known?.count ?? 0) + 1, firstAt: known?.firstAt ?? now, visibleAt: now + seconds * 1000 };
    this.#kept.receipts.set(message.id, receipt);
    this.#place(message);
    return receipt;
  }

  #place(message: QueuedMessage): void {
    const deps = this.#deps(message.queue);
    const visibleAt = this.#kept.receipts.get(message.id)?.visibleAt ?? 0;
    if (visibleAt > this.#clock.now()) {
      deps.hidden.set(
        message.id,
        this.#clock.at(visibleAt, () => this.showAgain(message)),
      );
      return;
    }
    this.#makeReady(deps, message.id);
  }

  #makeReady(deps: Desk, messageId: string): void {
    deps.ready.add(messageId);
    for (const wake of deps.waiting) wake();
  }

  #show(deps: Desk, messageId: string): void {
    deps.hidden.get(messageId)?.();
    deps.hidden.delete(messageId);
  }

  #hasLapsed(queue: Queue, message: QueuedMessage): boolean {
    const lapsed = message.sentAt + numberAttribute(queue, "MessageRetentionPeriod") * 1000 < this.#clock.now();
    if (lapsed) this.#drop(message);
    return lapsed;
  }

  /** The dead-letter queue keeps the original time of sending, so retention there goes on, it does not start anew. */
  #isPoison(queue: Queue, message: QueuedMessage): boolean {
    const redrive = redriveOf(queue);
    const count = this.#kept.receipts.get(message.id)?.count ?? 0;
    if (redrive === undefined || count < redrive.maxReceiveCount) return false;
    const target = this.findByArn(redrive.deadLetterTargetArn);
    if (target === undefined) return false;
    this.#kept.receipts.delete(message.id);
    const moved = { ...message, queue: target.name };
    this.#kept.messages.set(message.id, moved);
    this.#place(moved);
    return true;
  }

  #drop(message: QueuedMessage): void {
    const deps = this.#deps(message.queue);
    this.#show(deps, message.id);
    deps.ready.delete(message.id);
    this.#kept.messages.delete(message.id);
    this.#kept.receipts.delete(message.id);
  }
}
