import type { Comparison } from "./compare.ts";

export interface BenchTools {
  /** A PostgreSQL server with the migrated template. */
  serverUrl: string;
  rounds: number;
  /** How long one contender is pressed in one round. */
  seconds: number;
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
}
