import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { createBuildContext } from "../test/build-context.ts";
import { type Instruction, readImage, root } from "../test/container-file.ts";

/** Instructions that say how to start and leave no file behind. */
const withoutFiles = ["ENV", "EXPOSE", "USER", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"];

/** Performs COPY and RUN of deploy/Dockerfile, a folder for each stage, and returns that of the last one. The base is left out. */
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

interface Scene {
  stage: string;
  workingFolder: string;
  folders: Map<string, string>;
}

function perform({ name, rest }: Instruction, { stage, workingFolder, folders }: Scene): string {
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
  if (!target.endsWith("/")) throw new Error(`copy into a folder, ending with a slash: ${words.join(" ")}`);
  for (const source of sources) {
    if (stage !== undefined) {
      cpSync(join(folders.get(stage) ?? "", source), join(cwd, target), { recursive: true, verbatimSymlinks: true });
      continue;
    }
    const path = source.replace(/\/$/, "");
    for (const file of createBuildContext().under(path)) {
      // The content of a folder is copied, without the folder; a file keeps its name.
      const place = join(cwd, target, posix.relative(source === path ? dirname(path) : path, file));
      mkdirSync(dirname(place), { recursive: true });
      cpSync(join(root, file), place);
    }
  }
}

/** npm must act as on a machine of its own, whatever `npm run` has put into the environment here. */
function buildEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|INIT_CWD|NODE_ENV|npm_config_local)/.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
}
