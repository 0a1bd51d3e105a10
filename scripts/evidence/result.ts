import type { GoalCheck } from "../../bench/frame/goal-check.ts";

/** A promise that a command measures. */
export interface Claim {
  /** `<kind>/<name>`, such as `prove/jwt`; the key of its result in docs/evidence.json. */
  key: string;
  promise: string;
  command: string;
  /** Folders and files, relative to the repository, whose change makes the result stale. */
  covers: string[];
}

/** The last full run of a claim, as docs/evidence.json stores it. */
export interface Result {
  promise: string;
  command: string;
  /** Short lines. */
  figure: string[];
  /** The size of the run; null when it is not known. */
  n: number | null;
  holds: boolean;
  /** The day of the run. */
  date: string;
  /** With a plus when the working tree differed from the commit; null when it is not known. */
  commit: string | null;
  machine: string;
  /** How long the run took. Results from before 2026-11-20 lack it. */
  seconds?: number;
  /** The hash of the covered files when the run began; null when it is not known. */
  covered: string | null;
  /** The figures of a bench, each with its goal. */
  goals?: StoredGoal[];
}

/** JSON has no NaN: a figure that could not be measured is null. */
export type StoredGoal = Omit<GoalCheck, "measured"> & { measured: number | null };

export type Results = Record<string, Result>;
