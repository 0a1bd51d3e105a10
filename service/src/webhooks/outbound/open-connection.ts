import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { addressBytes, type Network } from "./address-bytes.ts";
import { classifyTarget, type TargetAddress } from "./target-address.ts";

interface ConnectionOptions {
  address: TargetAddress;
  port: number;
  allowed: readonly Network[];
  signal: AbortSignal;
}

/** No connection exists, so another address of the host may still work. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/**
 * Connects to an address that was checked: a literal, so that nothing is resolved again. Checks the address of the connected socket before
 * anything is written to it.
 */
export async function openConnection({ address, port, allowed, signal }: ConnectionOptions): Promise<Socket> {
  // Without this, an attempt that waited until its deadline would still connect.
  signal.throwIfAborted();
  const socket = connect({ host: address.text, port, autoSelectFamily: false, noDelay: true });
  // Errors of a connection that nobody waits for must not end the process.
  socket.on("error", () => undefined);
  try {
    await once(socket, "connect", { signal });
  } catch (error) {
    socket.destroy();
    throw new UnreachableError("there is no connection", { cause: error });
  }
  if (!isSameTarget(socket.remoteAddress ?? "", address.text, allowed)) {
    socket.destroy();
    throw new UnreachableError("the connection leads to another address than the one that was checked");
  }
  return socket;
}

function isSameTarget(connected: string, checked: string, allowed: readonly Network[]): boolean {
  const [one, other] = [addressBytes(connected), addressBytes(checked)];
  const isSame = one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
  return isSame && !("range" in classifyTarget(connected, allowed));
}

/** Verifies the certificate for the name, also when the environment of the process switches that off. */
export async function secureConnection(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const secured = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : "",
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
  });
  secured.on("error", () => undefined);
  await once(secured, "secureConnect", { signal });
  return secured;
}
