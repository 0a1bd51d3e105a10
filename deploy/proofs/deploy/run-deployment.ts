import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { makeBaseSystems } from "../../engine/base-systems.ts";
import { removeControlGroups, runInNamespaces } from "../../engine/own-namespaces.ts";
import { requirePrograms } from "../../engine/required-programs.ts";
import type { BuildOptions, ScenarioOptions } from "./scenario.ts";
import type { Step } from "./steps.ts";

interface DeploymentRun {
  mails: number;
  /** Whether only the evaluation and a few checks of the units run, as in CI. */
  isSmall: boolean;
  progress(message: string): void;
  onStep(step: Step): void;
}

/** Builds the images and runs every scenario with a container engine of its own. Throws when the engine does not start. */
export async function runDeployment({ mails, isSmall, progress, onStep }: DeploymentRun): Promise<Step[]> {
  requirePrograms();
  const systems = await makeBaseSystems(progress);
  const folder = mkdtempSync(join(tmpdir(), "postern-deploy-"));
  const controlGroup = basename(folder);
  const steps: Step[] = [];
  const onLine = (line: string) => {
    const step: Step = JSON.parse(line);
    steps.push(step);
    onStep(step);
  };
  const interruption = new AbortController();
  const { signal: interrupted } = interruption;
  const stop = () => interruption.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    const build: BuildOptions = { folder, controlGroup, systems };
    const program = (name: string) => join(import.meta.dirname, name);
    await runInNamespaces({
      program: program("build-images.ts"),
      options: build,
      network: "machine",
      timeoutSeconds: 600,
      interrupted,
      onLine,
    });
    const scenarios: ScenarioOptions = { folder, controlGroup, mails, isSmall };
    await runInNamespaces({
      program: program("run-scenarios.ts"),
      options: scenarios,
      network: "own",
      timeoutSeconds: isSmall ? 600 : 3600,
      interrupted,
      onLine,
    });
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    clean(folder, controlGroup);
  }
  return steps;
}

function clean(folder: string, controlGroup: string): void {
  rmSync(folder, { recursive: true, force: true });
  removeControlGroups(controlGroup);
}
