import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { isConnectionError, isContention } from "../db/sql-state.ts";
import { AppError } from "../errors.ts";
import { ConsumerHeartbeat } from "../in-doubt/consumer-heartbeat.ts";
import type { Log } from "../log.ts";
import { startTicker } from "../loops/ticker.ts";
import type { Mode } from "../mode.ts";
import { ProviderError } from "../provider/email-provider.ts";
import type { FeedbackQueue, ReceivedMessage } from "../provider/feedback.ts";
import { quarantine } from "./quarantine-store.ts";
import type { ReceiveFeedback } from "./receive-feedback.ts";

interface FeedbackLoopOptions {
  db: Queryable;
  mode: Mode;
  queue: FeedbackQueue;
  receive: ReceiveFeedback;
  receivers: number;
  log: Log;
}

const waitSeconds = 20;
/** As many receive all the time; the others only while many messages wait. */
const alwaysReceiving = 2;
/** A receive that brings so many, of ten at most, leaves others in the queue. */
const manyMessages = 5;
/** The pause after a receive that brings fewer. What arrives meanwhile shares the next one, and its commit: each receive is two requests. */
const gatherMs = 200;
const backOffMs = 1_000;
const heartbeatMs = 2_000;
const untilFreshMs = 100;
/** A message that cannot be applied goes to quarantine once the queue has delivered it this often. */
const maxTries = 3;

type Outcome = "stored" | "redeliver" | "database-unavailable";

/**
 * Reads the provider's queue of events with several receivers. It deletes a message only after its content is committed. After a
 * crash in between, the queue delivers the message again, and the second time changes nothing.
 */
export class FeedbackLoop {
  readonly #options: FeedbackLoopOptions;
  readonly #stopping = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();
  readonly #heartbeat: ConsumerHeartbeat;
  #manyWait = Promise.withResolvers<void>();

  constructor(options: FeedbackLoopOptions) {
    this.#options = options;
    const { db, mode, queue } = options;
    const { visibilityTimeoutSeconds } = queue;
    this.#heartbeat = new ConsumerHeartbeat({ db, mode, visibilityTimeoutSeconds, waitSeconds });
  }

  start(): void {
    const { log } = this.#options;
    const heartbeat = startTicker({
      pauseMs: heartbeatMs,
      run: () => this.sendHeartbeat(),
      onFailure: (err) => log.error({ err }, "feedback.heartbeat-failed"),
    });
    this.#ended = Promise.all(Array.from({ length: this.#options.receivers }, (_, number) => this.#run(number))).then(
      () => heartbeat.stop(),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#manyWait.resolve();
    this.#options.queue.close();
    await this.#ended;
  }

  async sendHeartbeat(): Promise<void> {
    await this.#heartbeat.send();
  }

  /** Receives once. Returns the number of messages, or undefined when the queue was closed. */
  async runOnce(wait = waitSeconds): Promise<number | undefined> {
    const { queue } = this.#options;
    const poll = this.#heartbeat.startReceive(wait);
    const messages = await queue.receive({ waitSeconds: wait }).catch((err) => {
      // The answer, and the messages in it, may have been lost on the network.
      if (!(err instanceof ProviderError && err.hadNoEffect)) this.#heartbeat.leftMessages();
      throw err;
    });
    if (messages === "closed") return undefined;
    if (messages.length === 0) {
      poll.foundEmpty();
      return 0;
    }
    this.#heartbeat.foundMessages();
    if (messages.length >= manyMessages) this.#wakeOthers();
    const outcomes = await Promise.all(messages.map((message) => this.#handle(message)));
    const stored = messages.filter((_, index) => outcomes[index] === "stored");
    if (stored.length < messages.length) this.#heartbeat.leftMessages();
    // crash point: feedback-committed
    if (stored.length > 0) await queue.delete(stored.map((message) => message.receiptHandle));
    this.#heartbeat.foundMessages();
    // Further receives would use up the deliveries after which SQS moves a message to the dead-letter queue.
    if (outcomes.includes("database-unavailable")) await this.#waitForDatabase();
    return messages.length;
  }

  #wakeOthers(): void {
    this.#manyWait.resolve();
    this.#manyWait = Promise.withResolvers();
  }

  async #run(number: number): Promise<void> {
    const isHelper = number >= alwaysReceiving;
    if (isHelper) await this.#manyWait.promise;
    while (!this.#stopping.signal.aborted) {
      if (!this.#heartbeat.isFresh) {
        await sleep(untilFreshMs);
        continue;
      }
      try {
        const received = await this.runOnce();
        if (received === undefined) return;
        if (received >= manyMessages) continue;
        if (isHelper) await this.#manyWait.promise;
        else if (received > 0) await this.#pause(gatherMs);
      } catch (err) {
        this.#options.log.error({ err }, "feedback.receive-failed");
        await this.#pause(backOffMs);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  async #handle({ id, body, feedback, receiveCount }: ReceivedMessage): Promise<Outcome> {
    const { db, receive, log } = this.#options;
    try {
      await receive(feedback, body);
      return "stored";
    } catch (err) {
      log.error({ message_id: id, receive_count: receiveCount, err }, "feedback.apply-failed");
      if (isDatabaseUnavailable(err)) return "database-unavailable";
      if (receiveCount < maxTries) return "redeliver";
      return quarantine(db, [{ reason: "unreadable", raw: body }]).then(
        () => "stored",
        () => "database-unavailable",
      );
    }
  }

  async #waitForDatabase(): Promise<void> {
    const { db } = this.#options;
    for (let isBack = false; !isBack && !this.#stopping.signal.aborted; ) {
      await this.#pause(backOffMs);
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
