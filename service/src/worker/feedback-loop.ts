import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { isConnectionTrouble, isContention } from "../db/sql-state.ts";
import { AppError } from "../errors.ts";
import { quarantine } from "../feedback/quarantine-store.ts";
import type { TakeFeedback } from "../feedback/take-feedback.ts";
import type { Log } from "../log.ts";
import type { FeedbackQueue, ReceivedMessage } from "../provider/feedback.ts";
import { notePolled } from "../sends/feedback-signs.ts";
import type { Mode } from "../sends/send-request.ts";

interface FeedbackLoopOptions {
  db: Queryable;
  mode: Mode;
  queue: FeedbackQueue;
  take: TakeFeedback;
  receivers: number;
  log: Log;
}

const waitSeconds = 20;
const backOffMs = 1_000;
const noteEveryMs = 5_000;
/** A message that broke us so often goes to quarantine, where it breaks nobody. */
const maxTries = 3;

/**
 * Reads the provider's queue of events with several receivers. A message is deleted only after what it says is committed;
 * who dies in between is given it again, and the second time changes nothing.
 */
export class FeedbackLoop {
  readonly #options: FeedbackLoopOptions;
  #stopping = false;
  #ended: Promise<unknown> = Promise.resolve();
  /** Since then every poll came back empty; what others have in hand comes back within the time it is hidden. */
  #emptySince: number | undefined;
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FeedbackLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#ended = Promise.all(Array.from({ length: this.#options.receivers }, () => this.#run()));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#options.queue.close();
    await this.#ended;
  }

  /** Receives once. Returns how many messages were taken, or undefined when the queue was closed. */
  async runOnce(wait = waitSeconds): Promise<number | undefined> {
    const { queue } = this.#options;
    const messages = await queue.receive({ waitSeconds: wait });
    if (messages === "closed") return undefined;
    if (messages.length === 0) {
      this.#emptySince ??= performance.now();
      await this.#note(queue.hiddenSeconds);
      return 0;
    }
    this.#emptySince = undefined;
    const fates = await Promise.all(messages.map((message) => this.#takeOne(message)));
    const safe = messages.filter((_, index) => fates[index] === "safe");
    // crash point: feedback-committed
    if (safe.length > 0) await queue.delete(safe.map((message) => message.receiptHandle));
    this.#emptySince = undefined;
    // Receiving on would use up the tries after which a message becomes a dead letter.
    if (fates.includes("our-trouble")) await this.#untilDatabaseIsBack();
    await this.#note(queue.hiddenSeconds);
    return messages.length;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        if ((await this.runOnce()) === undefined) return;
      } catch (err) {
        this.#emptySince = undefined;
        this.#options.log.error({ err }, "feedback.receive-failed");
        await sleep(backOffMs);
      }
    }
  }

  /** A message that is safe may be deleted. */
  async #takeOne({ id, body, feedback, receiveCount }: ReceivedMessage): Promise<"safe" | "again" | "our-trouble"> {
    const { db, take, log } = this.#options;
    try {
      await take(feedback, body);
      return "safe";
    } catch (err) {
      log.error({ message_id: id, receive_count: receiveCount, err }, "feedback.take-failed");
      if (isOurTrouble(err)) return "our-trouble";
      if (receiveCount < maxTries) return "again";
      await quarantine(db, [{ reason: "unreadable", raw: body }]);
      return "safe";
    }
  }

  async #untilDatabaseIsBack(): Promise<void> {
    const { db } = this.#options;
    for (let isBack = false; !isBack && !this.#stopping; ) {
      await sleep(backOffMs);
      isBack = await db.query({ name: "is-back", text: `select` }).then(
        () => true,
        () => false,
      );
    }
  }

  /** A queue is known to be empty of what is older than the time for which messages are hidden, after that long of nothing. */
  async #note(hiddenSeconds: number): Promise<void> {
    const now = performance.now();
    const isEmpty = this.#emptySince !== undefined && now - this.#emptySince >= hiddenSeconds * 1000;
    if (now - this.#notedAt < noteEveryMs) return;
    this.#notedAt = now;
    await notePolled(this.#options.db, this.#options.mode, isEmpty ? hiddenSeconds : undefined);
  }
}

function isOurTrouble(err: unknown): boolean {
  return isConnectionTrouble(err) || isContention(err) || (err instanceof AppError && err.code === "UNAVAILABLE");
}
