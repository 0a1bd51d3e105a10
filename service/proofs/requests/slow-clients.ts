import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface SlowClients {
  port: number;
  /** Clients that connect and send nothing, or half of a request head. */
  idle: number;
  /** Clients that send a long body with one byte a second. */
  slow: number;
  key: string;
}

export interface SlowClientsState {
  connected: number;
  /** The number of connections that the server closed; each client reconnects. */
  cut: number;
}

/**
 * Starts slow clients in a separate thread, so that their own CPU use is not measured as a cost of the server. Resolves when
 * all of them are connected.
 */
export async function startSlowClients(
  clients: SlowClients,
): Promise<{ state(): SlowClientsState; stop(): Promise<unknown> }> {
  const thread = new Worker(new URL("./slow-clients-thread.ts", import.meta.url), { workerData: clients });
  let last: SlowClientsState = { connected: 0, cut: 0 };
  thread.on("message", (state: SlowClientsState) => {
    last = state;
  });
  const end = performance.now() + 30_000;
  while (last.connected < clients.idle + clients.slow && performance.now() < end) await once(thread, "message");
  return { state: () => last, stop: () => thread.terminate() };
}
