import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  url: string;
  cuts(): number;
  close(): Promise<void>;
}

/**
 * A proxy in front of an API that drops some answers, counted from 1, and closes their connections. The API answers only
 * after the commit, so the client of a dropped answer does not know that its send is stored.
 */
export async function startCuttingProxy(targetUrl: string, isCut: (answer: number) => boolean): Promise<CuttingProxy> {
  const { hostname, port } = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let answers = 0;
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.setNoDelay(true).pipe(far.setNoDelay(true));
    far.on("data", (chunk) => {
      answers += 1;
      if (!isCut(answers)) {
        near.write(chunk);
        return;
      }
      cuts += 1;
      near.destroy();
    });
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
