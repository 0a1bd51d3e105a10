import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Environment } from "../src/config.ts";
import { type PosternProcess, spawnPostern } from "./spawn-postern.ts";

/** Starts a real API process; the running test kills it when it finishes. */
export async function startApiProcess(env: Environment): Promise<PosternProcess> {
  const api = await spawnPostern("api", { ...env, LOG_LEVEL: "info" });
  onTestFinished(async () => {
    api.kill("SIGKILL");
    await api.exited;
  });
  return api;
}

export interface TcpProxy {
  /** The target's URL with the host and port of the proxy. */
  url: string;
  /** Cuts every connection and refuses new ones, as a stopped server does. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Keeps connections and accepts new ones but forwards nothing, as a network that loses every packet does. */
  freeze(): void;
}

/** A TCP proxy between a process and its server, with which a test simulates an outage of the server. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  let isFrozen = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [near, far]) track(socket);
    if (!isFrozen) near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await listen(0);
  onTestFinished(close);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const { port } = address;
  return {
    url: Object.assign(new URL(targetUrl), { hostname: "127.0.0.1", port: String(port) }).href,
    close,
    open: () => listen(port),
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
