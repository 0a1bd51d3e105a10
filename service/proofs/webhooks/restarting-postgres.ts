import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresBinaries } from "../../src/dev/postgres/embedded-postgres.ts";
import { makeServerData, startServerOn } from "../../test/private-postgres.ts";
import { createTemplate } from "../../test/template-database.ts";
import { startTcpSwitch } from "../proxies/tcp-switch.ts";

export interface RestartingPostgres {
  url: string;
  /** Stops the server as a crash does, and starts it again on the same data after a while. */
  restart(downMs: number): Promise<void>;
  remove(): Promise<void>;
}

/** A server with the migrated template, at an address that stays the same when the server restarts. */
export async function startRestartingPostgres(binaries: PostgresBinaries): Promise<RestartingPostgres> {
  const { folder, data } = makeServerData(binaries);
  let server = await startServerOn(binaries, data);
  await createTemplate(server.url);
  const address = await startTcpSwitch(server.port);
  const url = new URL(server.url);
  url.port = String(address.port);
  return {
    url: url.href,
    async restart(downMs) {
      await server.stop("SIGQUIT");
      address.connectTo(undefined);
      await sleep(downMs);
      server = await startServerOn(binaries, data);
      address.connectTo(server.port);
    },
    async remove() {
      await address.close();
      await server.stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
