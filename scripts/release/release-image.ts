import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { makeBaseSystem } from "../../deploy/engine/base-systems.ts";
import { removeControlGroups, runInNamespaces } from "../../deploy/engine/own-namespaces.ts";
import { requirePrograms } from "../../deploy/engine/required-programs.ts";
import type { OwnEngineOptions } from "./build-with-own-engine.ts";

const repository = join(import.meta.dirname, "../..");
const withinSeconds = 900;

/**
 * Builds the image and saves it as one file. Returns why it did not, in a dry run that found no engine.
 *
 * The digest of the reviewed base image belongs to a release. A dry run may use any base image that the engine has; without an engine it
 * starts one of its own, whose base image is made of Debian's packages, if it can.
 */
export async function buildImage(version: string, file: string, isDryRun: boolean): Promise<string | undefined> {
  const base = process.env.NODE_IMAGE;
  if (!isDryRun && !base?.includes("@sha256:")) {
    throw new Error("Set NODE_IMAGE to the base image with its digest, such as node:24-bookworm-slim@sha256:…");
  }
  if (hasEngine()) {
    const args = base === undefined ? [] : ["--build-arg", `NODE_IMAGE=${base}`];
    docker(["build", "--tag", `postern:${version}`, "--file", "deploy/Dockerfile", ...args, "."]);
    docker(["save", "--output", file, `postern:${version}`]);
    return undefined;
  }
  if (!isDryRun) throw new Error("No Docker engine answers, so the image cannot be built.");
  try {
    requirePrograms();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `no Docker engine answers, and none can be started: ${reason}`;
  }
  await buildWithOwnEngine(version, file);
  return undefined;
}

async function buildWithOwnEngine(version: string, file: string): Promise<void> {
  console.log(
    "no Docker engine answers: the image is built on a base image of Debian's packages, by an engine of this run",
  );
  const folder = mkdtempSync(join(tmpdir(), "postern-release-engine-"));
  const controlGroup = basename(folder);
  try {
    const system = await makeBaseSystem("node", console.log);
    const options: OwnEngineOptions = { folder, controlGroup, system, version, file };
    await runInNamespaces({
      program: join(import.meta.dirname, "build-with-own-engine.ts"),
      options,
      network: "machine",
      timeoutSeconds: withinSeconds,
      interrupted: new AbortController().signal,
      onLine: console.log,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    removeControlGroups(controlGroup);
  }
}

function hasEngine(): boolean {
  try {
    execFileSync("docker", ["info"], { stdio: "ignore", timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

function docker(args: string[]): void {
  execFileSync("docker", args, { cwd: repository, stdio: ["ignore", "ignore", "inherit"] });
}
