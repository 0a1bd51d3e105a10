import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";

export interface FakeCell {
  /** host:port, as in a server line of haproxy.cfg. */
  address: string;
  /** The number of requests without health checks. */
  requestCount(): number;
  /** Sets the behaviour for the following requests. `cut` closes the connection after a request, `hang` never answers. */
  behave(how: Behaviour): void;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export type Behaviour = "answer" | "not-ready" | "cut" | "hang";

/** Replaces one API process of a cell: it answers every request with its own name and the received data. */
export async function startFakeCell(name: string): Promise<FakeCell> {
  let requests = 0;
  let behaviour: Behaviour = "answer";
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    if (request.url === "/readyz") return void response.writeHead(behaviour === "not-ready" ? 503 : 200).end();
    requests += 1;
    void answer(name, behaviour, request, response).catch(() => undefined);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.

  return {
    address: `127.0.0.1:${port}`,
    requestCount: () => requests,
    behave: (how) => {
      behaviour = how;
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async start() {
      if (server.listening) return;
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
  };
}

async function answer(name: string, behaviour: Behaviour, request: IncomingMessage, response: ServerResponse) {
  const body = await buffer(request);
  if (behaviour === "hang") return;
  if (behaviour === "cut") return void request.socket.destroy();
  const { "x-request-id": requestId, "x-forwarded-for": client } = request.headers;
  const sha256 = createHash("sha256").update(body).digest("hex");
  const seen = { name, path: request.url, method: request.method, requestId, client, bytes: body.length, sha256 };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(seen));
}
