import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { isConnectionError, isContention } from "../db/sql-state.ts";
import { AppError } from "../errors.ts";
import { ConsumerHeartbeat } from "../in-doubt/consumer-heartbeat.ts";
import type { Log } from "../log.ts";
import { startTicker } from "../loops/ticker.ts";
import { ProviderError } from "../provider/email-provider.ts";
import type { FeedbackQueue, ReceivedMessage } from "../provider/feedback.ts";
import type { Mode } from "../sends/send-request.ts";
import { quarantine } from "./quarantine-store.ts";
import type { ReceiveFeedback } from "./take-feedback.ts";

interface FeedbackLoopOptions {
  db: Queryable;
  mode: Mode;
  queue: FeedbackQueue;
  take: ReceiveFeedback;
  receivers: number;
  log: Log;
}

const waitSeconds = 20;
const backOffMs = 1_000;
const heartbeatMs = 2_000;
const untilFreshMs = 100;
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
  readonly #heartbeat: ConsumerHeartbeat;

  constructor(options: FeedbackLoopOptions) {
    this.#options = options;
    const { db, mode, queue } = options;
    this.#heartbeat = new ConsumerHeartbeat({ db, mode, hiddenSeconds: queue.hiddenSeconds, waitSeconds });
  }

  start(): void {
    const { log } = this.#options;
    const heartbeat = startTicker({
      pauseMs: heartbeatMs,
      run: () => this.heartbeat(),
      onFailure: (err) => log.error({ err }, "feedback.heartbeat-failed"),
    });
    this.#ended = Promise.all(Array.from({ length: this.#options.receivers }, () => this.#run())).then(() =>
      heartbeat.stop(),
    );
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#options.queue.close();
    await this.#ended;
  }

  async heartbeat(): Promise<void> {
    await this.#heartbeat.heartbeat();
  }

  /** Receives once. Returns how many messages were taken, or undefined when the queue was closed. */
  async runOnce(wait = waitSeconds): Promise<number | undefined> {
    const { queue } = this.#options;
    const asking = this.#heartbeat.ask(wait);
    const messages = await queue.receive({ waitSeconds: wait }).catch((err) => {
      // The answer may have been lost on its way, and messages with it.
      if (!(err instanceof ProviderError && err.isWithoutEffect)) this.#heartbeat.leftSome();
      throw err;
    });
    if (messages === "closed") return undefined;
    if (messages.length === 0) {
      asking.foundEmpty();
      return 0;
    }
    this.#heartbeat.foundSome();
    const fates = await Promise.all(messages.map((message) => this.#takeOne(message)));
    const safe = messages.filter((_, index) => fates[index] === "safe");
    if (safe.length < messages.length) this.#heartbeat.leftSome();
    // crash point: feedback-committed
    if (safe.length > 0) await queue.delete(safe.map((message) => message.receiptHandle));
    this.#heartbeat.foundSome();
    // Receiving on would use up the tries after which a message becomes a dead letter.
    if (fates.includes("database-unavailable")) await this.#untilDatabaseIsBack();
    return messages.length;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      if (!this.#heartbeat.isFresh) {
        await sleep(untilFreshMs);
        continue;
      }
      try {
        if ((await this.runOnce()) === undefined) return;
      } catch (err) {
        this.#options.log.error({ err }, "feedback.receive-failed");
        await sleep(backOffMs);
      }
    }
  }

  /** A message that is safe may be deleted. */
  async #takeOne({
    id,
    body,
    feedback,
    receiveCount,
  }: ReceivedMessage): Promise<"safe" | "again" | "database-unavailable"> {
    const { db, take, log } = this.#options;
    try {
      await take(feedback, body);
      return "safe";
    } catch (err) {
      log.error({ message_id: id, receive_count: receiveCount, err }, "feedback.apply-failed");
      if (isDatabaseUnavailable(err)) return "database-unavailable";
      if (receiveCount < maxTries) return "again";
      return quarantine(db, [{ reason: "unreadable", raw: body }]).then(
        () => "safe",
        () => "database-unavailable",
      );
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
}

function isDatabaseUnavailable(err: unknown): boolean {
  return isConnectionError(err) || isContention(err) || (err instanceof AppError && err.code === "UNAVAILABLE");
}
