import type { Environment } from "../../src/config.ts";
import type { SimulatedAws } from "../../test/simulated-aws.ts";

/** One misconfiguration, and the finding that must name it. */
export interface Fault {
  name: string;
  inject(aws: SimulatedAws): Promise<unknown>;
  /** Settings that differ from those of the correct set-up. */
  settings?: Environment;
  check: string;
  fix: RegExp;
  /** A note does not fail the check. */
  state?: "note" | "problem";
  /** Further checks that fail because of the same cause. */
  consequences?: string[];
  /** Events that never arrive are waited for only this long. */
  timeoutMs?: number;
  /** Needs a process with other credentials or another clock. */
  needsProcess?: boolean;
}

/** The advice to repeat the set-up. */
export const setUpFix = /^run `postern aws setup`/;

/** Some events are lost; the others need time to arrive on a busy machine. */
export const shortTimeoutMs = 8_000;

/** The settings of the command are the fault. */
export async function changeNothing(): Promise<void> {}
