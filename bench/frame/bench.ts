import type { Comparison } from "./compare.ts";

export interface BenchTools {
  /** A PostgreSQL server with the migrated template. */
  serverUrl: string;
  rounds: number;
  /** How long one contender is pressed in one round. */
  seconds: number;
  isQuick: boolean;
  progress(text: string): void;
}

export interface Bench {
  name: string;
  /** What is compared with what, in one line. */
  asks: string;
  goal: number;
  floor: number;
  run(tools: BenchTools): Promise<Outcome>;
}

export interface Outcome {
  comparisons: Record<string, Comparison>;
  /** The comparison whose first ratio is held against goal and floor. */
  decides: string;
  /**
   * Set where many are ranked: who is to be the first of them all, in rate and in processor time. Goal and floor are then
   * about its lead over the best of the others, in whichever of the two it is smaller.
   */
  first?: string;
  /** Shown among them and not ranked, because they do less than the others. */
  aside?: string[];
  /** Of what was measured beside ours, where it has versions. */
  versions?: Record<string, string>;
}

/** Something has to be installed first; the message says what. */
export class NotReady extends Error {}
