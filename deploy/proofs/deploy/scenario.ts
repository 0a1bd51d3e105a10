import type { BaseSystem } from "../../engine/base-systems.ts";
import type { Docker } from "../../engine/docker.ts";

/** The argument of build-images.ts. */
export interface BuildOptions {
  folder: string;
  controlGroup: string;
  systems: Record<BaseSystem, string>;
}

/** The argument of run-scenarios.ts. */
export interface ScenarioOptions {
  folder: string;
  controlGroup: string;
  mails: number;
  isSmall: boolean;
}

export interface Scenario {
  docker: Docker;
  /** A folder for the files that the operator writes. */
  folder: string;
  mails: number;
  isSmall: boolean;
}
