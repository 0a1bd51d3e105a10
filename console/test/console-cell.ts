import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { aDevFolder, startDev, untilNoneIn } from "../../service/test/dev-run.ts";
import { buildConsole } from "./build-console.ts";

/** A running `postern dev` that serves the console. The object crosses process borders as JSON. */
export interface ConsoleCell {
  /** The address of API and console. */
  url: string;
  /** The simulated SES: its mail view, and its control API below /_simulator/. */
  simulatorUrl: string;
  databaseUrl: string;
}

export async function startConsoleCell(parentFolder?: string): Promise<{ cell: ConsoleCell; stop(): Promise<void> }> {
  await buildConsole();
  const folder = aDevFolder(parentFolder);
  const dev = startDev(folder);
  const stop = async () => {
    dev.kill("SIGTERM");
    await dev.exited;
    await untilNoneIn(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await dev.shows("Ctrl-C stops everything");
  } catch (error) {
    await stop();
    throw error;
  }
  const { POSTERN_URL = "", POSTERN_MAIL_VIEW = "", DATABASE_URL = "" } = readEnvironment(folder);
  return { cell: { url: POSTERN_URL, simulatorUrl: POSTERN_MAIL_VIEW, databaseUrl: DATABASE_URL }, stop };
}

function readEnvironment(folder: string): Record<string, string> {
  const lines = readFileSync(join(folder, ".postern", "env"), "utf8").matchAll(/^export (\w+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}
