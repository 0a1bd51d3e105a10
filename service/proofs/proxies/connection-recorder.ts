import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

export interface ConnectionRecorder {
  /** `address:port` of every connection attempt, and every host name that was resolved for one. */
  attempts(): string[];
  stop(): void;
}

/** Records each outgoing TCP connection of this process, from any library. */
export function recordConnections(): ConnectionRecorder {
  const attempts: string[] = [];
  const record = (message: unknown) => {
    const { socket } = message as { socket: Socket }; // Node documents this shape for the channel.
    socket.on("connectionAttempt", (address: string, port: number) => attempts.push(`${address}:${port}`));
    socket.on("lookup", (_error: unknown, _address: unknown, _family: unknown, host: string) => {
      if (host !== "127.0.0.1") attempts.push(`looked up ${host}`);
    });
  };
  subscribe("net.client.socket", record);
  return { attempts: () => attempts, stop: () => void unsubscribe("net.client.socket", record) };
}
