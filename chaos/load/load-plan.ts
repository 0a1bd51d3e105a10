import type { TestSender } from "../../service/proofs/sends/sending-client.ts";

/** The arguments of drive.ts, as JSON on its command line. */
export interface LoadPlan {
  urls: string[];
  senders: TestSender[];
  /** null, which JSON makes of Infinity: until stdin ends. */
  sends: number | null;
  perSecond: number;
  seed: number;
  acknowledgedFile: string;
  /** The text of every mail; default: its idempotency key. */
  text?: string;
}

/** A line of the file that the driver writes: a 202 that it received completely. */
export interface Acknowledged {
  id: string;
  key: string;
  /** When the driver received the answer, in milliseconds since 1970. */
  at: number;
  /** The index of the API that answered. */
  api: number;
  /** From the first request to this answer, with all repetitions. */
  tookMs: number;
}

/** A line of the driver's output, twice a second. */
export interface LoadProgress {
  begun: number;
  acknowledged: number;
  /** Requests without an answer. */
  unanswered: number;
  /** Answers by status. */
  answers: Record<string, number>;
}
