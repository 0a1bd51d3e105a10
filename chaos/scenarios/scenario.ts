import type { Dice } from "../../service/proofs/seeded-random.ts";
import type { SendEvents } from "../cell/chaos-cell.ts";

export interface RunOptions {
  seed: number;
  sends: number;
  perSecond: number;
  /** How often the fault of the scenario is made. */
  faults: number;
  /** How long a fault of the network lasts. */
  faultSeconds: number;
  sendEvents: SendEvents;
  policy: "resend" | "fail";
}

export interface Stage extends RunOptions {
  dice: Dice;
  folder: string;
  /** Says how far it is. */
  progress(message: string): void;
}

/** A row of the summary. Without `holds` it is only told. */
export interface Finding {
  what: string;
  value: string | number;
  holds?: boolean;
}

export interface Outcome {
  n: number;
  findings: Finding[];
  /** Told below the table. */
  notes: string[];
}

export interface Scenario {
  promise: string;
  usual: Pick<RunOptions, "sends" | "perSecond" | "faults">;
  run(stage: Stage): Promise<Outcome>;
}
