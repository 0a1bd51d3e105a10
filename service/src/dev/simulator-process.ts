import type { SimulatorOptions } from "@postern/ses-simulator";
import { readConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { runWithOptions } from "./run-with-options.ts";
import { readTestMails } from "./test-mails.ts";

export interface SimulatorProcessOptions {
  simulator: SimulatorOptions;
  /** The settings of the service, to read its test mail. */
  environment: Record<string, string>;
}

/** Runs the simulated SES, SNS and SQS and the mail view. Their data is in the state folder. */
runWithOptions(run);

async function run({ simulator: options, environment }: SimulatorProcessOptions): Promise<void> {
  const { startSesSimulator } = await import("@postern/ses-simulator");
  const { database, secrets } = readConfig(environment);
  // It connects when a person opens the mail view; PostgreSQL and its schema may still be starting now.
  const db = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "postern-mail-view",
    onIdleError: () => undefined,
  });
  const simulator = await startSesSimulator({ ...options, otherMails: readTestMails(db, secrets.contentKey) });
  process.once("SIGTERM", () => {
    void Promise.all([simulator.stop(), db.close()]).then(() => process.exit(0));
  });
  process.stdout.write(`${JSON.stringify({ level: "info", event: "simulator.started", url: simulator.url })}\n`);
}
