import { connect, createServer, type Socket } from "node:net";

export interface PausingProxy {
  /** The same database, through the proxy. */
  urlOf(databaseUrl: string): string;
  /** Keeps all connections and accepts new ones, but forwards nothing until `resume`: a server whose processes are stopped. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function startPausingProxy(serverUrl: string): Promise<PausingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isPaused = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from.setNoDelay(true));
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("data", (chunk) => to.write(chunk));
      if (isPaused) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    urlOf: (url) => Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(address.port) }).href,
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
