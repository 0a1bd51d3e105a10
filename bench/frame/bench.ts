import type { Comparison } from "./compare.ts";
import type { Validation } from "./judgement.ts";

export interface BenchTools {
  /** A PostgreSQL server with the migrated template. */
  serverUrl: string;
  rounds: number;
  /** How long one contender is pressed in one round. */
  seconds: number;
  /** For CI: smaller, and with limits that a busy machine keeps. */
  isQuick: boolean;
  progress(text: string): void;
}

export interface Bench {
  name: string;
  /** What is compared with what, in one line. */
  asks: string;
  /** Left out where all are run quickly; by its name it has a quick size too. */
  isLong?: boolean;
  run(tools: BenchTools): Promise<Outcome>;
}

export interface Outcome {
  comparisons: Record<string, Comparison>;
  /** What is held against goals. */
  judged: Validation[];
  /** Where many are ranked: the one that all are shown in relation to. */
  rankedBy?: string;
  /** What was found beside it. */
  findings?: Record<string, number>;
  /** What else a reader of the run should see, a line each. */
  notes?: string[];
  /** What else belongs in the report. */
  details?: unknown;
}

/** Something has to be installed first; the message says what. */
export class NotReady extends Error {}
