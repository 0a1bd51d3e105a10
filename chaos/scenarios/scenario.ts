import type { Dice } from "../../service/proofs/seeded-random.ts";
import type { SendEvents } from "../cell/chaos-cell.ts";

export interface RunOptions {
  seed: number;
  sends: number;
  perSecond: number;
  /** The number of faults. */
  faults: number;
  /** The duration of a network fault. */
  faultSeconds: number;
  sendEvents: SendEvents;
  policy: "resend" | "fail";
}

export interface RunContext extends RunOptions {
  dice: Dice;
  folder: string;
  progress(message: string): void;
}

/** A row of the summary. Without `holds` it is informative only. */
export interface Finding {
  what: string;
  value: string | number;
  holds?: boolean;
  /** The name of many similar findings; docs/evidence.md counts those that hold. */
  series?: string;
}

export interface Outcome {
  n: number;
  findings: Finding[];
  /** Lines printed above the table. */
  notes: string[];
}

export interface Scenario {
  promise: string;
  /** Folders and files whose change can break the promise, relative to the repository. */
  covers: string[];
  defaults: Pick<RunOptions, "sends" | "perSecond" | "faults">;
  run(context: RunContext): Promise<Outcome>;
}
