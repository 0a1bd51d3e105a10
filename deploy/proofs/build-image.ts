import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { createBuildContext } from "../test/build-context.ts";
import { type Instruction, readImage, root } from "../test/container-file.ts";

/** Instructions that create no files. */
const withoutFiles = ["ENV", "EXPOSE", "USER", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"];

/** Performs COPY and RUN of deploy/Dockerfile in one folder per stage, without the base image. Returns the folder of the last stage. */
export function buildImage(folder: string): string {
  const { stages } = readImage();
  const folders = new Map<string, string>();
  let last = "";
  for (const [index, [from, ...instructions]] of stages.entries()) {
    const name = / AS (\S+)$/.exec(from?.rest ?? "")?.[1] ?? String(index);
    last = join(folder, name);
    folders.set(name, last);
    let workingFolder = "/";
    for (const instruction of instructions)
      workingFolder = perform(instruction, { stage: last, workingFolder, folders });
  }
  return last;
}

interface StageState {
  stage: string;
  workingFolder: string;
  folders: Map<string, string>;
}

function perform({ name, rest }: Instruction, { stage, workingFolder, folders }: StageState): string {
  const cwd = join(stage, workingFolder);
  if (name === "WORKDIR") {
    mkdirSync(join(stage, rest), { recursive: true });
    return rest;
  }
  if (name === "COPY") copy(rest.split(/\s+/), cwd, folders);
  else if (name === "RUN") execFileSync("sh", ["-c", rest], { cwd, env: buildEnvironment(), stdio: "pipe" });
  else if (!withoutFiles.includes(name)) throw new Error(`build-image.ts cannot perform ${name}`);
  return workingFolder;
}

function copy(words: string[], cwd: string, folders: Map<string, string>): void {
  const stage = /^--from=(.+)$/.exec(words[0] ?? "")?.[1];
  const [sources, target] = [words.slice(stage === undefined ? 0 : 1, -1), words.at(-1) ?? ""];
  if (!target.endsWith("/")) throw new Error(`the target of COPY must end with a slash: ${words.join(" ")}`);
  for (const source of sources) {
    if (stage !== undefined) {
      cpSync(join(folders.get(stage) ?? "", source), join(cwd, target), { recursive: true, verbatimSymlinks: true });
      continue;
    }
    const path = source.replace(/\/$/, "");
    for (const file of createBuildContext().under(path)) {
      // COPY of a folder copies its content without the folder itself; a file keeps its name.
      const destination = join(cwd, target, posix.relative(source === path ? dirname(path) : path, file));
      mkdirSync(dirname(destination), { recursive: true });
      cpSync(join(root, file), destination);
    }
  }
}

/** Removes the variables that `npm run` sets, so that npm acts as in a container. */
function buildEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|INIT_CWD|NODE_ENV|npm_config_local)/.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
}
