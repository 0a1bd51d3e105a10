import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChaosCell, openCell } from "../../chaos/cell/chaos-cell.ts";
import { onExit } from "../../chaos/cell/on-exit.ts";
import { type Haproxy, isHaproxyInstalled, startHaproxy } from "../../deploy/test/start-haproxy.ts";
import { untilRateIsKnown } from "../../service/proofs/cell/feedback-cell.ts";
import { NotReady } from "../frame/bench.ts";

export interface TwoCells {
  folder: string;
  cells: [ChaosCell, ChaosCell];
  proxy: Haproxy;
  proxyUrl: string;
}

/** Two complete cells behind HAProxy. Each has its own PostgreSQL, simulator, API, worker and accounts. */
export async function withTwoCells<Result>(work: (setup: TwoCells) => Promise<Result>): Promise<Result> {
  if (!isHaproxyInstalled()) throw new NotReady("This bench needs HAProxy: apt-get install haproxy");
  const folder = mkdtempSync(join(tmpdir(), "postern-cells-"));
  onExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const opened: ChaosCell[] = [];
  const open = async (cellCode: string) => {
    const cell = await openCell({ folder: join(folder, cellCode), apis: 1, workers: 1, cellCode });
    opened.push(cell);
    await untilRateIsKnown(cell);
    return cell;
  };
  try {
    const cells: [ChaosCell, ChaosCell] = [await open("AA"), await open("AB")];
    const proxy = await startHaproxy({ ...addressesOf(cells[0], "AA"), ...addressesOf(cells[1], "AB") });
    onExit(() => void proxy.stop());
    try {
      return await work({ folder, cells, proxy, proxyUrl: `http://127.0.0.1:${proxy.port}` });
    } finally {
      await proxy.stop();
    }
  } finally {
    for (const cell of opened) await cell.close();
  }
}

/** The configuration lists two APIs per cell; here both entries name the only one. */
function addressesOf({ apiUrls }: ChaosCell, code: string): Record<string, string> {
  const { host } = new URL(apiUrls[0] ?? "");
  return { [`CELL_${code}_API_1`]: host, [`CELL_${code}_API_2`]: host };
}
