import type { TestSender } from "../../service/proofs/sending-client.ts";

/** What the driver of the load is told, as JSON on its command line. */
export interface LoadPlan {
  urls: string[];
  senders: TestSender[];
  /** Infinity travels as null: until its input ends. */
  sends: number | null;
  perSecond: number;
  seed: number;
  acknowledgedFile: string;
  /** What every mail says; its own idempotency key unless given. */
  text?: string;
}

/** A line of the file that the driver keeps: an answer 202 that it has read to its end. */
export interface Acknowledged {
  id: string;
  key: string;
  /** Milliseconds since 1970, when the answer was there. */
  at: number;
  /** Which of the APIs answered. */
  api: number;
}

/** A line of the driver's output, twice a second. */
export interface LoadProgress {
  begun: number;
  acknowledged: number;
  /** Requests without an answer. */
  cut: number;
  /** Answers by status. */
  answers: Record<string, number>;
}
