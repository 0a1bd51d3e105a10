import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { memoryFolder } from "../../service/test/private-postgres.ts";
import { startConsoleCell } from "./console-cell.ts";

declare module "vitest" {
  interface ProvidedContext {
    consoleCellUrl: string;
  }
}

/**
 * All test files of a run share one cell. The first file that asks for it starts it, so a run without a test of the console starts
 * none. The answer is the cell as JSON.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: ReturnType<typeof startConsoleCell> | undefined;
  const server = createServer((_request, response) => {
    starting ??= startConsoleCell(memoryFolder());
    starting.then(
      ({ cell }) => response.end(JSON.stringify(cell)),
      (error) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server always has an address object.
  project.provide("consoleCellUrl", `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return async () => {
    server.close();
    server.closeAllConnections();
    await starting?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
  };
}
