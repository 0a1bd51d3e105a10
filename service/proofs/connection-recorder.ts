import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

export interface ConnectionRecorder {
  /** `address:port` of every attempt to connect, and every name that was looked up for one. */
  attempts(): string[];
  stop(): void;
}

/** Sees each outgoing TCP connection of this process, whichever library makes it. */
export function recordConnections(): ConnectionRecorder {
  const attempts: string[] = [];
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket }; // Node documents this shape for the channel.
    socket.on("connectionAttempt", (address: string, port: number) => attempts.push(`${address}:${port}`));
    socket.on("lookup", (_error: unknown, _address: unknown, _family: unknown, host: string) => {
      if (host !== "127.0.0.1") attempts.push(`looked up ${host}`);
    });
  };
  subscribe("net.client.socket", watch);
  return { attempts: () => attempts, stop: () => void unsubscribe("net.client.socket", watch) };
}
