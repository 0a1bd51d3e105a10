import { join } from "node:path";
import { makeNodeStandIn } from "../../deploy/engine/stand-ins.ts";
import { startEngine } from "../../deploy/engine/start-engine.ts";

/** The argument of this program. */
export interface OwnEngineOptions {
  folder: string;
  controlGroup: string;
  /** Of the base system `node`. */
  system: string;
  version: string;
  /** Where to save the image. */
  file: string;
}

const repository = join(import.meta.dirname, "../..");
const { folder, controlGroup, system, version, file }: OwnEngineOptions = JSON.parse(process.argv[2] ?? "{}");
const { docker, stop } = await startEngine({ folder: join(folder, "engine"), controlGroup, hasNetworks: false });
await makeNodeStandIn(docker, system, join(folder, "stand-ins"));
const tag = `postern:${version}`;
// Without a bridge of its own, the engine builds in the network of the machine.
const build = ["build", "--network=host", "--tag", tag, "--file", "deploy/Dockerfile", "."];
await docker(build, { cwd: repository, timeoutSeconds: 600 });
await docker(["save", "--output", file, tag], { timeoutSeconds: 120 });
await stop();
process.exit();
