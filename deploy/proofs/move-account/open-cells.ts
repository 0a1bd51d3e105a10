import { rmSync } from "node:fs";
import { join } from "node:path";
import { type ChaosCell, openCell } from "../../../chaos/cell/chaos-cell.ts";
import { untilRateIsKnown } from "../../../service/proofs/cell/feedback-cell.ts";
import type { Environment } from "../../../service/src/config.ts";
import { aSecret } from "../../../service/test/test-config.ts";
import { copyCellsFolder, writeMovedMap } from "../../test/copy-cells-folder.ts";
import { startReloadableHaproxy } from "../../test/start-haproxy.ts";

export interface MovingCells {
  folder: string;
  source: ChaosCell;
  target: ChaosCell;
  proxyUrl: string;
  /** Appends the lines to moved.map and reloads HAProxy, as docs/scale.md tells the operator to do after a switch. */
  route(lines: string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Two complete cells behind HAProxy with the shipped configuration. Each has its own PostgreSQL, AWS account and secrets; the target also has
 * the pepper of the source, as docs/scale.md demands.
 */
export async function openMovingCells(folder: string): Promise<MovingCells> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const each of opened.toReversed()) await each.close();
  };
  try {
    const pepper = aSecret("aa1");
    const open = async (code: string, region: string, environment: Environment) => {
      const PUBLIC_URL = `https://${code.toLowerCase()}.mail.acme.io`;
      const options = { apis: 2, workers: 1, cellCode: code, region, hasSenders: false };
      const settings = { ...ownSecrets(code), PUBLIC_URL, ...environment };
      const cell = await openCell({ ...options, folder: join(folder, code), environment: settings });
      opened.push(cell);
      await untilRateIsKnown(cell);
      return cell;
    };
    const [source, target] = await Promise.all([
      open("AA", "eu-central-1", { API_KEY_PEPPER: pepper }),
      open("AB", "eu-west-1", { API_KEY_PEPPER_SECOND: pepper }),
    ]);
    const proxyFolder = copyCellsFolder();
    opened.push({ close: async () => rmSync(proxyFolder, { recursive: true, force: true }) });
    const proxy = await startReloadableHaproxy(
      { ...addressesOf(source, "AA"), ...addressesOf(target, "AB") },
      proxyFolder,
    );
    opened.push({ close: proxy.stop });
    const moved: string[] = [];
    const route = async (lines: string[]) => {
      moved.push(...lines);
      writeMovedMap(proxyFolder, moved);
      await proxy.reload();
    };
    return { folder, source, target, proxyUrl: `http://127.0.0.1:${proxy.port}`, route, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function ownSecrets(code: string): Environment {
  const name = `${code.toLowerCase()}1`;
  return { API_KEY_PEPPER: aSecret(name), CONTENT_KEY: aSecret(name), TOKEN_SIGNING_KEY: aSecret(name) };
}

function addressesOf({ apiUrls }: ChaosCell, code: string): Record<string, string> {
  const [first = "", second = ""] = apiUrls.map((url) => new URL(url).host);
  return { [`CELL_${code}_API_1`]: first, [`CELL_${code}_API_2`]: second };
}
