import { type Config, readConfig } from "../config.ts";
import { startApi } from "./api.ts";
import { runProcess, type StartContext } from "./run-process.ts";
import { startWorker } from "./worker.ts";

/**
 * API and worker in one process, not in two child processes:
 * 1. A small installation saves the memory of a second Node process and its connections.
 * 2. One operations port reports on both, so OPERATIONS_PORT and a health check keep their meaning.
 * 3. An uncaught error in either of them ends the process, so neither runs on without the other.
 * The price is that both share one processor; `postern api` and `postern worker` remain for larger installations.
 */
export function runServe(): Promise<void> {
  return runProcess("serve", (env) => readConfig(env, "postern serve"), startBoth);
}

/** The API starts first: it fails fast when its port is in use. */
async function startBoth(context: StartContext<Config>) {
  return { ...(await startApi(context)), ...(await startWorker(context)) };
}
