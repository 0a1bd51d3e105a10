import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { DurableMap } from "../disk/durable-maps.ts";
import { MessageVisibility } from "./message-visibility.ts";
import { maxInFlight, numberAttribute, type Queue, type QueuedMessage, type Receipt, redriveOf } from "./queue.ts";
import { SqsError } from "./sqs-error.ts";

export interface ReceivedMessage {
  message: QueuedMessage;
  receipt: Receipt;
}

interface QueueMaps {
  queues: DurableMap<Queue>;
  messages: DurableMap<QueuedMessage>;
  receipts: DurableMap<Receipt>;
}

/** Standard queues: SQS delivers at least once and guarantees no order. */
export class Queues {
  readonly #maps: QueueMaps;
  readonly #clock: Clock;
  readonly #visibility = new Map<string, MessageVisibility>();

  constructor(maps: QueueMaps, clock: Clock) {
    this.#maps = maps;
    this.#clock = clock;
    for (const message of maps.messages.values()) this.#updateVisibility(message);
  }

  find(name: string): Queue | undefined {
    return this.#maps.queues.get(name);
  }

  findByArn(arn: string): Queue | undefined {
    const queue = this.find(arn.slice(arn.lastIndexOf(":") + 1));
    return queue?.arn === arn ? queue : undefined;
  }

  list(): Queue[] {
    return [...this.#maps.queues.values()];
  }

  save(queue: Queue): void {
    this.#maps.queues.set(queue.name, queue);
  }

  remove(name: string): void {
    this.purge(name);
    this.#maps.queues.delete(name);
    this.#visibility.delete(name);
  }

  purge(name: string): void {
    for (const message of this.#maps.messages.values()) if (message.queue === name) this.#drop(message);
  }

  counts(name: string): { ready: number; inFlight: number } {
    const { readyCount, inFlightCount } = this.#visibilityOf(name);
    return { ready: readyCount, inFlight: inFlightCount };
  }

  add(name: string, body: string): QueuedMessage {
    const md5 = createHash("md5").update(body).digest("hex");
    const message = { id: randomUUID(), queue: name, body, md5, sentAt: this.#clock.now() };
    this.#maps.messages.set(message.id, message);
    this.#updateVisibility(message);
    return message;
  }

  receive(queue: Queue, count: number, visibilitySeconds: number): ReceivedMessage[] {
    const visibility = this.#visibilityOf(queue.name);
    if (visibility.inFlightCount >= maxInFlight) {
      throw new SqsError("OverLimit", "The maximum number of in flight messages is reached.");
    }
    const messages: QueuedMessage[] = [];
    for (const id of visibility.ready()) {
      if (messages.length === count) break;
      const message = this.#maps.messages.get(id);
      visibility.remove(id);
      if (message === undefined || this.#dropIfExpired(queue, message) || this.#moveIfPoison(queue, message)) continue;
      messages.push(message);
    }
    // Not inside the loop: with visibility timeout 0 a message is ready again immediately, and the loop would return it twice.
    return messages.map((message) => ({ message, receipt: this.#addReceipt(message, visibilitySeconds) }));
  }

  waitForMessage(name: string, seconds: number, signal: AbortSignal): Promise<void> {
    return this.#visibilityOf(name).waitForMessage(seconds, signal);
  }

  /** Like SQS, succeeds without effect for the handle of an earlier receive and for a deleted message. */
  delete(name: string, messageId: string, receiveCount: number): void {
    const message = this.#maps.messages.get(messageId);
    if (message?.queue === name && this.#maps.receipts.get(messageId)?.count === receiveCount) this.#drop(message);
  }

  changeVisibility(name: string, messageId: string, seconds: number): void {
    const message = this.#maps.messages.get(messageId);
    const receipt = this.#maps.receipts.get(messageId);
    if (message === undefined || receipt === undefined || !this.#visibilityOf(name).isInFlight(messageId)) {
      throw new SqsError("MessageNotInflight", "The message referred to is not in flight.");
    }
    this.#maps.receipts.set(messageId, { ...receipt, visibleAt: this.#clock.now() + seconds * 1000 });
    this.#updateVisibility(message);
  }

  /** Makes a message available, even if a receiver has it: SQS can deliver duplicates. */
  makeVisible(message: QueuedMessage): void {
    this.#visibilityOf(message.queue).show(message.id);
  }

  #visibilityOf(name: string): MessageVisibility {
    const visibility = this.#visibility.get(name) ?? new MessageVisibility();
    this.#visibility.set(name, visibility);
    return visibility;
  }

  #addReceipt(message: QueuedMessage, visibilitySeconds: number): Receipt {
    const now = this.#clock.now();
    const previous = this.#maps.receipts.get(message.id);
    const visibleAt = now + visibilitySeconds * 1000;
    const receipt = { count: (previous?.count ?? 0) + 1, firstAt: previous?.firstAt ?? now, visibleAt };
    this.#maps.receipts.set(message.id, receipt);
    this.#updateVisibility(message);
    return receipt;
  }

  #updateVisibility(message: QueuedMessage): void {
    const visibleAt = this.#maps.receipts.get(message.id)?.visibleAt ?? 0;
    if (visibleAt <= this.#clock.now()) {
      this.makeVisible(message);
      return;
    }
    const cancelTimer = this.#clock.runAt(visibleAt, () => this.makeVisible(message));
    this.#visibilityOf(message.queue).hide(message.id, cancelTimer);
  }

  #dropIfExpired(queue: Queue, message: QueuedMessage): boolean {
    const isExpired = message.sentAt + numberAttribute(queue, "MessageRetentionPeriod") * 1000 < this.#clock.now();
    if (isExpired) this.#drop(message);
    return isExpired;
  }

  /** The message keeps its original send time in the dead-letter queue, so its retention period does not restart. */
  #moveIfPoison(queue: Queue, message: QueuedMessage): boolean {
    const redrive = redriveOf(queue);
    const count = this.#maps.receipts.get(message.id)?.count ?? 0;
    if (redrive === undefined || count < redrive.maxReceiveCount) return false;
    const target = this.findByArn(redrive.deadLetterTargetArn);
    if (target === undefined) return false;
    this.#maps.receipts.delete(message.id);
    const moved = { ...message, queue: target.name };
    this.#maps.messages.set(message.id, moved);
    this.#updateVisibility(moved);
    return true;
  }

  #drop(message: QueuedMessage): void {
    this.#visibilityOf(message.queue).remove(message.id);
    this.#maps.messages.delete(message.id);
    this.#maps.receipts.delete(message.id);
  }
}
