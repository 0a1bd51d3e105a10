import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const requestWithinMs = 500;

/**
 * When it stops, Node closes only connections that are idle at that moment. Those whose request is answered later, and
 * those that have not sent a whole request, would hold the process until it is killed. The function returned closes them
 * too: the former are told by `Connection: close`, so that no client sends another request into a connection that goes.
 */
export function trackConnections(server: Server): (close: () => Promise<unknown>) => Promise<void> {
  const connections = new Set<Socket>();
  const unanswered = new Set<ServerResponse>();
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (_request, response: ServerResponse) => {
    unanswered.add(response);
    response.once("close", () => unanswered.delete(response));
  });

  return async (close) => {
    for (const response of unanswered) if (!response.headersSent) response.setHeader("connection", "close");
    const sweep = setTimeout(() => {
      const answering = new Set([...unanswered].map(({ socket }) => socket));
      for (const socket of connections) if (!answering.has(socket) && socket.writableLength === 0) socket.destroy();
    }, requestWithinMs);
    try {
      await close();
    } finally {
      clearTimeout(sweep);
    }
  };
}
