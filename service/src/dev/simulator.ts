import type { SimulatorOptions } from "@postern/ses-simulator";
import { takeOrders } from "./take-orders.ts";

/** The process of the simulator: SES, SNS, SQS and the mail view, with what it knows kept in the state folder. */
takeOrders(run);

async function run(options: SimulatorOptions): Promise<void> {
  const { startSesSimulator } = await import("@postern/ses-simulator");
  const simulator = await startSesSimulator(options);
  process.once("SIGTERM", () => void simulator.stop().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ level: "info", event: "simulator.started", url: simulator.url })}\n`);
}
