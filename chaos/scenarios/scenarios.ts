import { apiKills } from "./api-kills.ts";
import { diskFull } from "./disk-full.ts";
import { mixed } from "./mixed.ts";
import { network } from "./network.ts";
import { pausedWorker } from "./paused-worker.ts";
import { postgresStops } from "./postgres-stops.ts";
import type { Scenario } from "./scenario.ts";
import { shiftedClock } from "./shifted-clock.ts";
import { simulatorKills } from "./simulator-kills.ts";
import { workerKills } from "./worker-kills.ts";

export const scenarios = {
  "worker-kills": workerKills,
  "api-kills": apiKills,
  "postgres-stops": postgresStops,
  "simulator-kills": simulatorKills,
  "paused-worker": pausedWorker,
  "shifted-clock": shiftedClock,
  "disk-full": diskFull,
  network,
  mixed,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
