import { join } from "node:path";
import type { Docker } from "../../engine/docker.ts";
import { startEngine } from "../../engine/start-engine.ts";
import { runEvaluation } from "./evaluation.ts";
import { runProduction } from "./production.ts";
import type { Scenario, ScenarioOptions } from "./scenario.ts";
import { StepFailed } from "./steps.ts";
import { runUnits } from "./units.ts";

const { folder, controlGroup, mails, isSmall }: ScenarioOptions = JSON.parse(process.argv[2] ?? "{}");
const engine = await startEngine({ folder: join(folder, "engine"), controlGroup, hasNetworks: true });
const scenario: Scenario = { docker: engine.docker, folder, mails, isSmall };
const scenarios = isSmall ? [runEvaluation, runUnits] : [runEvaluation, runProduction, runUnits];
for (const run of scenarios) {
  try {
    await run(scenario);
  } catch (error) {
    // The failed step is printed; the next scenario has other containers.
    if (!(error instanceof StepFailed)) throw error;
    await printLogs(engine.docker);
    await removeEverything(engine.docker);
  }
}
// The engine and the containers of the units still run. The kernel ends them together with the namespaces, at once.
process.exit();

async function printLogs(docker: Docker): Promise<void> {
  process.stderr.write(await docker(["ps", "--all"]));
  for (const id of await listContainers(docker)) {
    const logs = await docker(["logs", "--tail", "20", id]).catch(String);
    process.stderr.write(`\n${id}\n${logs}`);
  }
}

async function removeEverything(docker: Docker): Promise<void> {
  const ids = await listContainers(docker);
  if (ids.length > 0) await docker(["rm", "--force", "--volumes", ...ids]);
  await docker(["network", "prune", "--force"]);
  await docker(["volume", "prune", "--force"]);
}

async function listContainers(docker: Docker): Promise<string[]> {
  return (await docker(["ps", "--all", "--quiet"])).split("\n").filter(Boolean);
}
