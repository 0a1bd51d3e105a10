import { Socket } from "node:net";

export interface ConnectRecord {
  /** `address port` of every connection attempt, and every name that the system resolved for one, since the last call. */
  take(): string[];
  stop(): void;
}

/** Records each outgoing connection of this process below all libraries: TCP, TLS and HTTP all connect a socket. */
export function recordConnects(): ConnectRecord {
  let attempts: string[] = [];
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    this.on("connectionAttempt", (address: string, port: number) => attempts.push(`${address} ${port}`));
    this.on("lookup", (_error: unknown, _address: unknown, _family: unknown, host: string) =>
      attempts.push(`resolved ${host}`),
    );
    return Reflect.apply(connect, this, args);
  };
  return {
    take() {
      const taken = attempts;
      attempts = [];
      return taken;
    },
    stop() {
      Socket.prototype.connect = connect;
    },
  };
}
