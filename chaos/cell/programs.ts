import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { senderDomain } from "../../service/proofs/sends/sending-client.ts";
import type { Environment } from "../../service/src/config.ts";
import { posternPath } from "../../service/test/spawn-postern.ts";
import type { Program } from "./supervised.ts";

const simulatorPath = fileURLToPath(new URL("../../ses-simulator/src/main.ts", import.meta.url));
export const region = "eu-central-1";
export const senderCount = 20;

/** An API or a worker. `flags` are Node's, such as the preload of arm.ts; `path` is postern.ts of another working tree. */
export function posternProgram(
  role: "api" | "worker",
  name: string,
  folder: string,
  env: Environment,
  flags: string[] = [],
  path = posternPath,
): Program {
  return {
    name,
    args: [...flags, path, role],
    env: { ...env },
    startedLine: `"${role}.started"`,
    logFile: join(folder, `${name}.log`),
  };
}

export function simulatorProgram(folder: string, port: number, simulatedRegion: string): Program {
  const verified = Array.from({ length: senderCount }, (_, number) => ["--verify", senderDomain(number)]).flat();
  const limits = ["--max-send-rate", "5000", "--max-24-hour-send=-1", "--region", simulatedRegion];
  return {
    name: "simulator",
    args: [simulatorPath, "--port", String(port), "--data", join(folder, "simulator"), ...limits, ...verified],
    env: {},
    startedLine: "http://",
    logFile: join(folder, "simulator.log"),
  };
}
