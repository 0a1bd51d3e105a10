import { connect, createServer, type Socket } from "node:net";

export interface TcpSwitch {
  port: number;
  /** Closes all connections and sends new ones to this port, or refuses them when it is undefined. */
  connectTo(target: number | undefined): void;
  close(): Promise<void>;
}

/** A stable address for a database whose server changes. */
export async function startTcpSwitch(first: number): Promise<TcpSwitch> {
  const sockets = new Set<Socket>();
  let target: number | undefined = first;
  const server = createServer((near) => {
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = connect(target, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.pipe(far);
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the switch has no port");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    connectTo(next) {
      target = next;
      cut();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
