import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atTheEnd } from "../../chaos/cell/at-the-end.ts";
import { type ChaosCell, openCell } from "../../chaos/cell/chaos-cell.ts";
import { type Haproxy, isHaproxyHere, startHaproxy } from "../../deploy/test/start-haproxy.ts";
import { untilRateIsKnown } from "../../service/proofs/feedback-cell.ts";
import { NotReady } from "../frame/bench.ts";

export interface TwoCells {
  folder: string;
  cells: [ChaosCell, ChaosCell];
  proxy: Haproxy;
  proxyUrl: string;
}

/** Two complete cells behind HAProxy: each has a PostgreSQL, a simulator, an API and a worker, and accounts of its own. */
export async function withTwoCells<Result>(work: (stage: TwoCells) => Promise<Result>): Promise<Result> {
  if (!isHaproxyHere()) throw new NotReady("This bench needs HAProxy: apt-get install haproxy");
  const folder = mkdtempSync(join(tmpdir(), "postern-cells-"));
  atTheEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
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
    atTheEnd(() => void proxy.stop());
    try {
      return await work({ folder, cells, proxy, proxyUrl: `http://127.0.0.1:${proxy.port}` });
    } finally {
      await proxy.stop();
    }
  } finally {
    for (const cell of opened) await cell.close();
  }
}

/** The configuration has two APIs for each cell; here both lines name the one there is. */
function addressesOf({ apiUrls }: ChaosCell, code: string): Record<string, string> {
  const { host } = new URL(apiUrls[0] ?? "");
  return { [`CELL_${code}_API_1`]: host, [`CELL_${code}_API_2`]: host };
}
