import type { Scenario } from "./scenario.ts";
import { workerKills } from "./worker-kills.ts";

export const scenarios = {
  "worker-kills": workerKills,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
