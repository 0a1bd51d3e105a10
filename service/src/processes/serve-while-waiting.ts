import { randomUUIDv7 } from "node:crypto";
import { createServer } from "node:http";
import { Registry } from "prom-client";
import { errorBody } from "../api/http/error-response.ts";
import { AppError } from "../errors.ts";
import { explainListenError } from "./listen-error.ts";
import { measureProcess } from "./measure-process.ts";
import { startOperationsServer } from "./operations-server.ts";

interface WaitingServers {
  role: string;
  /** Undefined for a worker, which has no public port. */
  http: { host: string; port: number; publicUrl: string } | undefined;
  operations: { host: string; port: number };
  missing: string[];
}

/** Answers probes while a process waits for its schema: alive, not ready, and on the operations port the reason. */
export async function serveWhileWaiting({ role, http, operations, missing }: WaitingServers) {
  const checks = { database: "ok", schema: { missing }, partitions: "unknown" } as const;
  const registry = new Registry();
  measureProcess({ registry }, { role, readChecks: async () => checks, connections: () => ({}) });
  const server = await startOperationsServer(operations, {
    metrics: () => registry.metrics(),
    health: async () => ({ isReady: false, checks, degraded: ["The process waits for `postern migrate`."] }),
    liveness: async () => ({ isLive: true, reason: "The process waits for `postern migrate`." }),
  }).catch(explainListenError("OPERATIONS_PORT", operations));
  const api = http && (await startPublicServer(http).catch(explainListenError("PORT", http)));
  return {
    operations: server.address,
    async close() {
      await Promise.all([server.close(), api?.close()]);
    },
  };
}

async function startPublicServer(http: NonNullable<WaitingServers["http"]>) {
  const server = createServer((request, response) => {
    const requestId = randomUUIDv7();
    const isAlive = request.url === "/healthz";
    const error = new AppError("UNAVAILABLE", "This process is not ready. Try again shortly.", {
      retryAfterSeconds: 5,
    });
    const body = isAlive ? { status: "alive" } : errorBody(error, requestId, http.publicUrl);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "x-request-id": requestId,
      connection: "close",
    };
    response.writeHead(isAlive ? 200 : 503, isAlive ? headers : { ...headers, "retry-after": "5" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(http.port, http.host, resolve);
  });
  return {
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
