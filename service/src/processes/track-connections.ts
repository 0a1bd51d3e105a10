import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const incompleteRequestMs = 500;

/**
 * `server.close()` of Node closes only the connections that are idle at that moment. The others would keep the process running
 * until it is killed. The returned function closes them as well:
 * 1. A connection with a request in progress closes after the response, which carries `Connection: close`, so that the client
 *    sends no further request on it.
 * 2. A connection without a complete request is destroyed after half a second.
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
    }, incompleteRequestMs);
    try {
      await close();
    } finally {
      clearTimeout(sweep);
    }
  };
}
