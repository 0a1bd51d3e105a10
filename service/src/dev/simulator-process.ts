import type { SimulatorOptions } from "@postern/ses-simulator";
import { runWithOptions } from "./run-with-options.ts";

/** Runs the simulated SES, SNS and SQS and the mail view. Their data is in the state folder. */
runWithOptions(run);

async function run(options: SimulatorOptions): Promise<void> {
  const { startSesSimulator } = await import("@postern/ses-simulator");
  const simulator = await startSesSimulator(options);
  process.once("SIGTERM", () => void simulator.stop().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ level: "info", event: "simulator.started", url: simulator.url })}\n`);
}
