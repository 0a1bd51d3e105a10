import { createServer, type Server } from "node:net";

export interface CanaryServer {
  port: number;
  /** Every connection, also one without a request, such as that of a preconnect. */
  connections(): number;
  stop(): Promise<void>;
}

/** Every host name under .test leads here, which all mails use; the browser itself uses others. It answers nothing, so that a request shows as a connection. */
export async function startCanaryServer(): Promise<CanaryServer> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the canary server has no port");
  return {
    port: address.port,
    connections: () => connections,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
