import { setTimeout as sleep } from "node:timers/promises";
import { type ChaosCell, openCell } from "../../../chaos/cell/chaos-cell.ts";
import { posternProgram } from "../../../chaos/cell/programs.ts";
import { Supervised } from "../../../chaos/cell/supervised.ts";
import { createSendingClient } from "../../../service/proofs/sends/sending-client.ts";
import { freePort } from "../../../service/test/free-port.ts";

export interface DrilledCell extends ChaosCell {
  apiUrl: string;
  /** Addresses of the operations ports, for Prometheus. */
  targets: string[];
}

/** One API and two workers on fixed operations ports. FEEDBACK_GAP_SECONDS is the shortest that Postern permits. */
export async function openDrilledCell(folder: string): Promise<DrilledCell> {
  const environment = { FEEDBACK_GAP_SECONDS: "60", DATABASE_DISK_GB: "1", LOG_LEVEL: "warn" };
  const cell = await openCell({ folder, apis: 0, workers: 0, environment });
  const targets: string[] = [];
  const add = async (role: "api" | "worker", name: string, changes: Record<string, string>) => {
    const OPERATIONS_PORT = String(await freePort());
    targets.push(`127.0.0.1:${OPERATIONS_PORT}`);
    // The line `started` has the level info.
    const env = { ...cell.environment, LOG_LEVEL: "info", OPERATIONS_PORT, ...changes };
    const program = new Supervised(posternProgram(role, name, folder, env));
    (role === "api" ? cell.apis : cell.workers).push(program);
    await program.start();
  };
  const port = String(await freePort());
  await add("api", "api-0", { PORT: port });
  await add("worker", "worker-0", {});
  await add("worker", "worker-1", {});
  return { ...cell, apiUrl: `http://127.0.0.1:${port}`, targets };
}

export interface Load {
  /** How many mails were accepted until now. */
  accepted(): number;
  stop(): Promise<number>;
}

/** Normal load: some mail a second of several accounts to recipients that accept it. Failures of a drill are expected. */
export function startLoad({ apiUrl, senders }: DrilledCell, mailsPerSecond: number): Load {
  const client = createSendingClient(4);
  let accepted = 0;
  let isStopping = false;
  const flow = (async () => {
    for (let number = 0; !isStopping; number++) {
      const sender = senders[number % (senders.length - 1)];
      if (sender === undefined) throw new Error("the cell has no senders");
      const body = { to: [`success+${number}@simulator.amazonses.com`] };
      const answer = await client.send(apiUrl, sender, body).catch(() => undefined);
      if (answer?.status === 202) accepted += 1;
      await sleep(1000 / mailsPerSecond);
    }
  })();
  return {
    accepted: () => accepted,
    async stop() {
      isStopping = true;
      await flow;
      client.close();
      return accepted;
    },
  };
}
