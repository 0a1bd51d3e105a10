import { once } from "node:events";
import type { Socket } from "node:net";

interface Sockets {
  clientSocket: Socket;
  serverSocket: Socket;
}

export async function breakConnection(
  { clientSocket, serverSocket }: Sockets,
  fault: "reset" | "truncation",
  to: Socket,
  chunk: Buffer,
) {
  switch (fault) {
    case "reset":
      clientSocket.resetAndDestroy();
      serverSocket.resetAndDestroy();
      return;
    case "truncation":
      await write(to, chunk.subarray(0, Math.floor(chunk.length / 2)));
      clientSocket.end();
      serverSocket.end();
      destroyAll([clientSocket, serverSocket]);
      return;
  }
}

export async function writeSlowly(to: Socket, chunk: Buffer, signal: AbortSignal): Promise<void> {
  let sent = 0;
  for (; sent < chunk.length && !signal.aborted && to.writable; sent++) {
    await write(to, chunk.subarray(sent, sent + 1));
    await pause(1_000, signal);
  }
  await write(to, chunk.subarray(sent));
}

export async function write(to: Socket, chunk: Buffer): Promise<void> {
  if (!to.writable || chunk.length === 0) return;
  if (!to.write(chunk)) await Promise.race([once(to, "drain"), once(to, "close")]).catch(() => undefined);
}

/** Waits until the fault is healed, the time is over, or `other` is closed. */
export async function pause(ms: number | undefined, signal: AbortSignal, other?: Socket): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  other?.once("close", () => resolve());
  await promise;
  clearTimeout(timer);
}

export function destroyAll(sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy();
}
