import { randomInt } from "node:crypto";
import { isFree } from "../src/dev/reserve-port.ts";

/**
 * Returns a free port of loopback for a process that cannot choose one itself. It is below the ports that Linux gives to outgoing connections
 * (from 32768 on), so that no connection of another test takes it before the process listens.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(16_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port on loopback");
}
