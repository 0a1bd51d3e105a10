import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Dice } from "../../service/proofs/seeded-random.ts";

/**
 * latency: up to two seconds. reset, truncation and half-open: of every connection after some pieces; of a half-open one
 * only the side that the piece was for is gone. black-hole: nothing gets through until it is healed. slow: a byte a second.
 */
export const faults = ["latency", "reset", "black-hole", "half-open", "slow", "truncation"] as const;
export type Fault = (typeof faults)[number];

export const directions = ["to-server", "to-client"] as const;
export type Direction = (typeof directions)[number];

const longestLatencyMs = 2_000;
const mostPieces = 4;
/** Then whoever still believes in the connection learns better, as keepalive would tell it. */
const usualHalfOpenMs = 20_000;

interface Problem {
  fault: Fault;
  direction: Direction;
  healed: AbortController;
}

/** Two sockets, and how many pieces are still passed on before a fault breaks the connection. */
interface Line {
  near: Socket;
  far: Socket;
  piecesLeft: number;
  isHalfOpen: boolean;
}

/** Stands on loopback before a server and does to its connections what bad networks do. */
export class FaultProxy {
  readonly #dice: Dice;
  readonly #target: number;
  readonly #halfOpenMs: number;
  readonly #lines = new Set<Line>();
  #server: Server | undefined;
  #trouble: Problem | undefined;
  /** Connections that a fault has touched. */
  met = 0;

  constructor(target: number, dice: Dice, halfOpenMs = usualHalfOpenMs) {
    this.#target = target;
    this.#dice = dice;
    this.#halfOpenMs = halfOpenMs;
  }

  async listen(): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, (near) => this.#open(near));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    return address.port;
  }

  break(fault: Fault, direction: Direction): void {
    this.heal();
    this.#trouble = { fault, direction, healed: new AbortController() };
    for (const line of this.#lines) line.piecesLeft = this.#dice.roll(mostPieces);
  }

  /** What was held back goes on its way; what was broken stays broken. */
  heal(): void {
    this.#trouble?.healed.abort();
    this.#trouble = undefined;
  }

  close(): void {
    this.heal();
    this.#server?.close();
    for (const { near, far } of this.#lines) destroyAll([near, far]);
  }

  #open(near: Socket): void {
    const far = connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true });
    const line: Line = { near, far, piecesLeft: this.#dice.roll(mostPieces), isHalfOpen: false };
    this.#lines.add(line);
    for (const socket of [near, far]) socket.setNoDelay(true).on("error", () => undefined);
    void Promise.all([this.#pass(line, "to-server"), this.#pass(line, "to-client")]).then(() => {
      // Of a half-open one the other side may have ended by itself; it was told nothing.
      destroyAll([near, far]);
      this.#lines.delete(line);
    });
  }

  /** Ends when its side has; an end is passed on unless the other side is not to know. */
  async #pass(line: Line, direction: Direction): Promise<void> {
    const [from, to] = direction === "to-server" ? [line.near, line.far] : [line.far, line.near];
    try {
      // One side may have said all it has to say while the other still answers.
      for await (const piece of from.iterator({ destroyOnReturn: false }))
        await this.#treat(line, direction, to, piece);
      if (!line.isHalfOpen) to.end();
    } catch {
      if (!line.isHalfOpen) destroyAll([line.near, line.far]);
    }
  }

  async #treat(line: Line, direction: Direction, to: Socket, piece: Buffer): Promise<void> {
    const trouble = this.#trouble?.direction === direction ? this.#trouble : undefined;
    if (trouble === undefined) return write(to, piece);
    this.met += 1;
    const { signal } = trouble.healed;
    switch (trouble.fault) {
      case "latency":
        await pause(this.#dice.roll(longestLatencyMs), signal);
        return write(to, piece);
      case "black-hole":
        await pause(undefined, signal, to);
        return write(to, piece);
      case "slow":
        return dribble(to, piece, signal);
      case "reset":
      case "truncation":
      case "half-open":
        if (line.piecesLeft > 0) {
          line.piecesLeft -= 1;
          return write(to, piece);
        }
        if (trouble.fault === "half-open") return this.#halfOpen(line, to);
        return breakLine(line, trouble.fault, to, piece);
    }
  }

  #halfOpen(line: Line, gone: Socket): void {
    line.isHalfOpen = true;
    gone.destroy();
    setTimeout(() => destroyAll([line.near, line.far]), this.#halfOpenMs).unref();
  }
}

async function breakLine(line: Line, fault: "reset" | "truncation", to: Socket, piece: Buffer) {
  switch (fault) {
    case "reset":
      line.near.resetAndDestroy();
      line.far.resetAndDestroy();
      return;
    case "truncation":
      await write(to, piece.subarray(0, Math.floor(piece.length / 2)));
      line.near.end();
      line.far.end();
      destroyAll([line.near, line.far]);
      return;
  }
}

async function dribble(to: Socket, piece: Buffer, signal: AbortSignal): Promise<void> {
  let sent = 0;
  for (; sent < piece.length && !signal.aborted && to.writable; sent++) {
    await write(to, piece.subarray(sent, sent + 1));
    await pause(1_000, signal);
  }
  await write(to, piece.subarray(sent));
}

async function write(to: Socket, piece: Buffer): Promise<void> {
  if (!to.writable || piece.length === 0) return;
  if (!to.write(piece)) await Promise.race([once(to, "drain"), once(to, "close")]).catch(() => undefined);
}

/** Until it is healed, or the time is over, or the other side has gone. */
async function pause(ms: number | undefined, signal: AbortSignal, other?: Socket): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  other?.once("close", () => resolve());
  await promise;
  clearTimeout(timer);
}

function destroyAll(sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy();
}
