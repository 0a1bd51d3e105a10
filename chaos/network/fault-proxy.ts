import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Dice } from "../../service/proofs/seeded-random.ts";
import type { Direction, Fault } from "./faults.ts";
import { breakConnection, destroyAll, pause, write, writeSlowly } from "./faulty-writes.ts";

const maxLatencyMs = 2_000;
const maxChunks = 4;
/** After this time the proxy also closes the other side of a half-open connection, as TCP keepalive would. */
const defaultHalfOpenMs = 20_000;

interface ActiveFault {
  fault: Fault;
  direction: Direction;
  healed: AbortController;
}

/** Two sockets, and the number of chunks to forward before a fault breaks the connection. */
interface Connection {
  clientSocket: Socket;
  serverSocket: Socket;
  chunksLeft: number;
  isHalfOpen: boolean;
}

/** A TCP proxy on loopback that injects network faults into its connections. */
export class FaultProxy {
  readonly #dice: Dice;
  readonly #target: number;
  readonly #halfOpenMs: number;
  readonly #connections = new Set<Connection>();
  #server: Server | undefined;
  #activeFault: ActiveFault | undefined;
  /** The number of chunks that a fault has affected. */
  affectedChunks = 0;

  constructor(target: number, dice: Dice, halfOpenMs = defaultHalfOpenMs) {
    this.#target = target;
    this.#dice = dice;
    this.#halfOpenMs = halfOpenMs;
  }

  async listen(): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, (clientSocket) => this.#open(clientSocket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    return address.port;
  }

  break(fault: Fault, direction: Direction): void {
    this.heal();
    this.#activeFault = { fault, direction, healed: new AbortController() };
    for (const connection of this.#connections) connection.chunksLeft = this.#dice.roll(maxChunks);
  }

  /** Forwards the data that a fault holds back. Broken connections stay broken. */
  heal(): void {
    this.#activeFault?.healed.abort();
    this.#activeFault = undefined;
  }

  close(): void {
    this.heal();
    this.#server?.close();
    for (const { clientSocket, serverSocket } of this.#connections) destroyAll([clientSocket, serverSocket]);
  }

  #open(clientSocket: Socket): void {
    const serverSocket = connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true });
    const connection: Connection = {
      clientSocket,
      serverSocket,
      chunksLeft: this.#dice.roll(maxChunks),
      isHalfOpen: false,
    };
    this.#connections.add(connection);
    for (const socket of [clientSocket, serverSocket]) socket.setNoDelay(true).on("error", () => undefined);
    void Promise.all([this.#pipe(connection, "to-server"), this.#pipe(connection, "to-client")]).then(() => {
      // The remaining side of a half-open connection may have ended by itself.
      destroyAll([clientSocket, serverSocket]);
      this.#connections.delete(connection);
    });
  }

  /** Forwards data until the sender ends. Forwards the end too, unless the connection is half-open. */
  async #pipe(connection: Connection, direction: Direction): Promise<void> {
    const [from, to] =
      direction === "to-server"
        ? [connection.clientSocket, connection.serverSocket]
        : [connection.serverSocket, connection.clientSocket];
    try {
      // One side may end its stream while the other still sends.
      for await (const chunk of from.iterator({ destroyOnReturn: false }))
        await this.#forward(connection, direction, to, chunk);
      if (!connection.isHalfOpen) to.end();
    } catch {
      if (!connection.isHalfOpen) destroyAll([connection.clientSocket, connection.serverSocket]);
    }
  }

  async #forward(connection: Connection, direction: Direction, to: Socket, chunk: Buffer): Promise<void> {
    const active = this.#activeFault?.direction === direction ? this.#activeFault : undefined;
    if (active === undefined) return write(to, chunk);
    this.affectedChunks += 1;
    const { signal } = active.healed;
    switch (active.fault) {
      case "latency":
        await pause(this.#dice.roll(maxLatencyMs), signal);
        return write(to, chunk);
      case "black-hole":
        await pause(undefined, signal, to);
        return write(to, chunk);
      case "slow":
        return writeSlowly(to, chunk, signal);
      case "reset":
      case "truncation":
      case "half-open":
        if (connection.chunksLeft > 0) {
          connection.chunksLeft -= 1;
          return write(to, chunk);
        }
        if (active.fault === "half-open") return this.#halfOpen(connection, to);
        return breakConnection(connection, active.fault, to, chunk);
    }
  }

  #halfOpen(connection: Connection, gone: Socket): void {
    connection.isHalfOpen = true;
    gone.destroy();
    setTimeout(() => destroyAll([connection.clientSocket, connection.serverSocket]), this.#halfOpenMs).unref();
  }
}
