#!/usr/bin/env node
import { parseArgs } from "node:util";
import { type Flags, flags, help, optionsFrom } from "./command-line.ts";
import { startSesSimulator } from "./ses-simulator.ts";
import { startUpText } from "./start-up-text.ts";

const { values } = readFlags();

if (values.help === true) {
  process.stdout.write(help());
} else {
  const simulator = await startSesSimulator(optionsFrom(values)).catch(stopWith);
  process.stdout.write(startUpText(simulator));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void simulator.stop());
}

function readFlags(): { values: Flags } {
  try {
    return parseArgs({ options: flags });
  } catch (error) {
    return stopWith(error);
  }
}

/** A wrong flag, a taken port or a locked folder: one line, not a stack. */
function stopWith(error: unknown): never {
  process.stderr.write(`ses-simulator: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
