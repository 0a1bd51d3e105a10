import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const incompleteRequestMs = 500;

interface Connections {
  /** From now on every response carries `Connection: close`, so that the client continues elsewhere. New connections are accepted. */
  closeAfterResponse(): void;
  closeAll(close: () => Promise<unknown>): Promise<void>;
}

/**
 * `server.close()` of Node closes only the connections that are idle at that moment. The others would keep the process running
 * until it is killed. `closeAll` closes them as well:
 * 1. A connection with a request in progress closes after the response, which carries `Connection: close`, so that the client
 *    sends no further request on it.
 * 2. A connection without a complete request is destroyed after half a second.
 */
export function trackConnections(server: Server): Connections {
  const connections = new Set<Socket>();
  const unanswered = new Set<ServerResponse>();
  let isClosing = false;
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  // Before Fastify's listener, which answers some requests at once.
  server.prependListener("request", (_request, response: ServerResponse) => {
    if (isClosing) response.setHeader("connection", "close");
    unanswered.add(response);
    response.once("close", () => unanswered.delete(response));
  });
  const closeAfterResponse = () => {
    isClosing = true;
    for (const response of unanswered) if (!response.headersSent) response.setHeader("connection", "close");
  };

  return {
    closeAfterResponse,
    async closeAll(close) {
      closeAfterResponse();
      const sweep = setTimeout(() => {
        const answering = new Set([...unanswered].map(({ socket }) => socket));
        for (const socket of connections) if (!answering.has(socket) && socket.writableLength === 0) socket.destroy();
      }, incompleteRequestMs);
      try {
        await close();
      } finally {
        clearTimeout(sweep);
      }
    },
  };
}
