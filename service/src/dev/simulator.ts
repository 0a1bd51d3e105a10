import type { SimulatorOptions } from "@postern/ses-simulator";
import { takeOrders } from "./take-orders.ts";

/** The process of the simulator: SES, SNS, SQS and the mail view, with what it knows kept in the state folder. */
takeOrders(run);

async function run(options: SimulatorOptions): Promise<void> {
  const { startSesSimulator } = await import("@postern/ses-simulator");
  const simulator = await startSesSimulator(options);
  // SES takes its time to look for DKIM records; whoever tries things out should not have to wait for it.
  let checking: NodeJS.Timeout;
  const check = () => {
    checking = setTimeout(() => void simulator.checkIdentities().finally(check), 500);
  };
  check();
  process.once("SIGTERM", () => {
    clearTimeout(checking);
    void simulator.stop().then(() => process.exit(0));
  });
  process.stdout.write(`${JSON.stringify({ level: "info", event: "simulator.started", url: simulator.url })}\n`);
}
