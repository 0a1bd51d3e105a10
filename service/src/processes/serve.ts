import { type Config, readConfig } from "../config.ts";
import { startApi } from "./api.ts";
import { type ProcessContext, type Running, runProcess } from "./run-process.ts";
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
async function startBoth(context: ProcessContext<Config>): Promise<Running> {
  const api = await startApi(context);
  const worker = await startWorker(context).catch(async (error) => {
    await api.stop();
    throw error;
  });
  return { facts: { ...api.facts, ...worker.facts }, stop: () => stopAll([api, worker]) };
}

/** Both stop at the same time, within the deadline of one process. A failure of one does not interrupt the other. */
async function stopAll(running: Running[]): Promise<void> {
  const outcomes = await Promise.allSettled(running.map((each) => each.stop()));
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, "the API or the worker could not be stopped");
}
