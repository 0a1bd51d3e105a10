import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CellCode, highLimits } from "../../../chaos/cell/chaos-cell.ts";
import { senderCount } from "../../../chaos/cell/programs.ts";
import { copyTree, linkPackages } from "../../../chaos/mutants/tree-copy.ts";
import type { Environment } from "../../../service/src/config.ts";
import { createEmptyDatabase } from "../../../service/test/template-database.ts";
import { incompatibleStep, plantedStep } from "./planted-step.ts";

/** A copy of the repository whose commands run as processes of their own. */
export interface CodeTree extends CellCode {
  migrate(url: string): Promise<void>;
  /** Runs `postern migrate --contract`; rejects with its output. */
  contract(url: string): Promise<void>;
  remove(): void;
}

const installService = ["ci", "--workspace=service", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
const run = promisify(execFile);
/** An open transaction may hold a migration up for a minute. */
const commandWithinMs = 300_000;

export function checkOut(commit: string): CodeTree {
  const folder = mkdtempSync(join(tmpdir(), "postern-previous-"));
  const archive = execFileSync("git", ["archive", "--format=tar", commit], { maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  const lock = "package-lock.json";
  if (readFileSync(join(folder, lock), "utf8") === readFileSync(lock, "utf8")) linkPackages(folder);
  else installPackages(folder);
  return treeIn(folder);
}

/** Once more after a failure: a package mirror that fails for a minute must not fail the proof. */
function installPackages(folder: string): void {
  const install = () => execFileSync("npm", installService, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  try {
    install();
  } catch {
    install();
  }
}

/** This working tree as it is. */
export function thisTree(): CodeTree {
  return { ...treeIn(process.cwd()), remove: () => undefined };
}

/** This working tree with one more migration and one contract step. */
export function copyWithPlantedSteps(): CodeTree {
  const { folder } = copyTree();
  const migrations = join(folder, "service/migrations");
  writeFileSync(join(migrations, plantedStep.file), plantedStep.sql);
  mkdirSync(join(migrations, "contract"), { recursive: true });
  writeFileSync(join(migrations, "contract", incompatibleStep.file), incompatibleStep.sql);
  return treeIn(folder);
}

function treeIn(folder: string): CodeTree {
  const posternPath = join(folder, "service/src/cli/postern.ts");
  const node = async (args: string[], env: Environment) => {
    const { stdout } = await run(process.execPath, args, { env, cwd: folder, timeout: commandWithinMs });
    return stdout;
  };
  const migrate = async (url: string) => void (await node([posternPath, "migrate"], { DATABASE_URL: url }));
  const contract = async (url: string) =>
    void (await node([posternPath, "migrate", "--contract"], { DATABASE_URL: url }));
  return {
    posternPath,
    migrate,
    contract,
    async makeDatabase(serverUrl) {
      const { url } = await createEmptyDatabase(serverUrl);
      await migrate(url);
      return url;
    },
    async makeSenders(environment) {
      const script = join(import.meta.dirname, "make-senders.ts");
      const options = JSON.stringify({ folder, count: senderCount, limits: highLimits });
      return JSON.parse(await node([script, options], environment));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
