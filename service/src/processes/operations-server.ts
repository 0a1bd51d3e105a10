import { createServer, type Server } from "node:http";

interface OperationsSources {
  metrics: () => Promise<string>;
  health: () => Promise<{ isReady: boolean }>;
  liveness: () => Promise<{ isLive: boolean }>;
}

interface Page {
  status: number;
  type: string;
  body: string;
}

/** Serves metrics and health details to the operator on a separate port, on loopback unless configured otherwise. */
export async function startOperationsServer(listen: { host: string; port: number }, sources: OperationsSources) {
  const server = createServer((request, response) => {
    void answer(request.url ?? "", sources).then(({ status, type, body }) => {
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen, resolve);
  });
  return { address: addressOf(server), close: () => closeServer(server) };
}

async function answer(path: string, sources: OperationsSources): Promise<Page> {
  try {
    if (path === "/metrics") {
      return { status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: await sources.metrics() };
    }
    if (path === "/health") {
      const health = await sources.health();
      return { status: health.isReady ? 200 : 503, type: "application/json", body: jsonText(health) };
    }
    if (path === "/live") {
      const liveness = await sources.liveness();
      return { status: liveness.isLive ? 200 : 503, type: "application/json", body: jsonText(liveness) };
    }
    return { status: 404, type: "text/plain", body: "Not found. This port serves /metrics, /health and /live.\n" };
  } catch {
    return { status: 500, type: "text/plain", body: "The process could not collect this information.\n" };
  }
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the operations server has no port");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
