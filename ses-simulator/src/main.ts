#!/usr/bin/env node
import { parseArgs } from "node:util";
import { flags, help, optionsFrom } from "./command-line.ts";
import { type SimulatorOptions, startSesSimulator } from "./ses-simulator.ts";
import { startUpText } from "./start-up-text.ts";

try {
  const { values } = parseArgs({ options: flags });
  if (values.help === true) process.stdout.write(help());
  else await run(optionsFrom(values));
} catch (error) {
  // A wrong flag, a port in use or a locked folder is a user error: one line is enough, a stack trace is not.
  process.stderr.write(`ses-simulator: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function run(options: SimulatorOptions): Promise<void> {
  const simulator = await startSesSimulator(options);
  process.stdout.write(startUpText(simulator));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void simulator.stop());
}
