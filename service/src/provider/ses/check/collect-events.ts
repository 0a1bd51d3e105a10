import { ProviderError } from "../../email-provider.ts";
import type { Feedback, FeedbackQueue } from "../../feedback.ts";

/** One event of a mail of this check. */
export interface SeenEvent {
  feedback: Feedback;
  /** As it arrived, in the envelope of SNS. */
  body: string;
  /** By `performance.now()`. */
  seenAt: number;
}

export interface EventCollector {
  readonly events: SeenEvent[];
  /** Texts that are events of nothing Postern knows, with the reason. */
  readonly unreadable: string[];
  /** Resolves as soon as the condition holds, or with false after `waitMs` or when the collector stops. */
  until(isReached: () => boolean, waitMs: number): Promise<boolean>;
  /** Why reading ended early. */
  failure(): ProviderError | undefined;
  stop(): Promise<void>;
}

const receiveSeconds = 5;
/** The topic copies every event of the cell to this queue, so one reader may be too slow in a busy cell. */
const readers = 4;

/** Reads the queue until `stop`. Ignores the events of other mails. */
export function collectEvents(queue: FeedbackQueue): EventCollector {
  const events: SeenEvent[] = [];
  const unreadable: string[] = [];
  let arrival = Promise.withResolvers<void>();
  let failure: ProviderError | undefined;
  let isStopped = false;

  async function read(): Promise<void> {
    while (!isStopped && failure === undefined) {
      const messages = await queue.receive({ waitSeconds: receiveSeconds });
      if (messages === "closed") return;
      for (const { feedback, body } of messages) {
        if (feedback.kind === "unreadable") unreadable.push(feedback.reason);
        else if (feedback.kind !== "ignored") events.push({ feedback, body, seenAt: performance.now() });
      }
      wake();
      if (messages.length > 0) await forget(messages.map(({ receiptHandle }) => receiptHandle));
    }
  }

  /** A message that stays is delivered again, which changes nothing, and goes with the queue. */
  async function forget(receiptHandles: string[]): Promise<void> {
    await queue.delete(receiptHandles).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
    });
  }

  function wake(): void {
    arrival.resolve();
    arrival = Promise.withResolvers();
  }

  const running = Promise.all(
    Array.from({ length: readers }, () =>
      read().catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error;
        failure ??= error;
        wake();
      }),
    ),
  );
  return {
    events,
    unreadable,
    async until(isReached, waitMs) {
      const end = performance.now() + waitMs;
      while (!isReached()) {
        const remainingMs = end - performance.now();
        if (remainingMs <= 0 || isStopped || failure !== undefined) return false;
        await soonest(arrival.promise, remainingMs);
      }
      return true;
    },
    failure: () => failure,
    async stop() {
      isStopped = true;
      queue.close();
      wake();
      await running;
    },
  };
}

async function soonest(arrival: Promise<void>, waitMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  try {
    await Promise.race([arrival, promise]);
  } finally {
    clearTimeout(timer);
  }
}
