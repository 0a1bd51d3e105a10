import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../src/config.ts";
import { startCredentialEndpoint } from "./credential-endpoint.ts";
import type { Phase } from "./source-plan.ts";
import type { WorkerSource } from "./stages.ts";

export interface WorkerCredentials {
  /** The settings with which the SDK finds the source. */
  environment: Environment;
  close(): Promise<void>;
}

const program = join(import.meta.dirname, "credential-process.ts");

/** Prepares the source of a worker. Its phases begin with its first use. */
export async function openCredentials(source: WorkerSource, scale: number): Promise<WorkerCredentials> {
  if (source === undefined) return { environment: {}, close: () => Promise.resolve() };
  const phases = source.phases.map(({ seconds, does }) => ({ seconds: seconds / scale, does }));
  return source.by === "process" ? openProcess(phases) : openEndpoint(phases);
}

async function openProcess(phases: Phase[]): Promise<WorkerCredentials> {
  const folder = mkdtempSync(join(tmpdir(), "postern-credentials-"));
  const planFile = join(folder, "plan.json");
  const configFile = join(folder, "config");
  writeFileSync(planFile, JSON.stringify(phases));
  writeFileSync(configFile, `[profile slow]\ncredential_process = "${process.execPath}" "${program}" "${planFile}"\n`);
  return {
    environment: {
      ...withoutKeys,
      AWS_PROFILE: "slow",
      AWS_CONFIG_FILE: configFile,
      AWS_SHARED_CREDENTIALS_FILE: join(folder, "none"),
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function openEndpoint(phases: Phase[]): Promise<WorkerCredentials> {
  const endpoint = await startCredentialEndpoint(phases);
  const environment = { ...withoutKeys, AWS_CONTAINER_CREDENTIALS_FULL_URI: endpoint.url };
  return { environment, close: endpoint.close };
}

/** Keys in the environment would come first. */
const withoutKeys = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
