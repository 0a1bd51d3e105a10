import type { Comparison } from "./compare.ts";
import type { GoalCheck } from "./goal-check.ts";

export interface BenchTools extends RunSize {
  /** A PostgreSQL server with the migrated template. */
  serverUrl: string;
  /** For CI: smaller, and with limits that a busy machine can meet. */
  isQuick: boolean;
  progress(text: string): void;
}

export interface RunSize {
  rounds: number;
  /** How long each contender runs in a round. */
  seconds: number;
}

/** Many short rounds: the median and the quartiles of many rounds depend less on a slow minute of the machine than those of few. */
export const fullSize: RunSize = { rounds: 15, seconds: 3 };

export const fewLongRounds: RunSize = { rounds: 5, seconds: 15 };

export interface Bench {
  name: string;
  /** What the bench compares, in one line. */
  description: string;
  /** Folders and files whose change can change the figures, relative to the repository. The folder of the bench counts as well. */
  covers: string[];
  /** `bench -- quick` leaves it out; `bench -- NAME quick` still runs its small size. */
  isLong?: boolean;
  /** Of a full run, for a bench whose rounds are expensive to begin. */
  fullSize?: RunSize;
  run(tools: BenchTools): Promise<Outcome>;
}

export interface Outcome {
  comparisons: Record<string, Comparison>;

  goals: GoalCheck[];
  /** For a ranking of several contenders: the one to which the table relates all others. */
  rankedBy?: string;
  /** Figures without a goal. */
  findings?: Record<string, number>;
  /** Lines that the run prints below the table. */
  notes?: string[];
  /** Stored in the result file and not printed. */
  details?: unknown;
}

/** A requirement is missing, such as a program to install; the message names it. */
export class NotReady extends Error {}
