import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const sdkFolder = fileURLToPath(new URL("..", import.meta.url));
const binFolder = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

export interface Project {
  folder: string;
  /** The folder of the installed package. */
  packageFolder: string;
  write(file: string, text: string): void;
  /** Returns the output of the program; throws its error output when it fails. */
  run(file: string, options?: { node?: string; env?: Record<string, string> }): Promise<string>;
  /** The compiler errors in these files for a user of the package. */
  typeErrors(files: string[]): string;
}

/** Builds the package into an otherwise empty project, as after `npm install @postern/sdk`. */
export function installPackage(): Project {
  const project = anEmptyProject();
  mkdirSync(project.packageFolder, { recursive: true });
  const options = { cwd: sdkFolder, stdio: "pipe" } as const;
  const out = join(project.packageFolder, "dist");
  execFileSync(process.execPath, [join(binFolder, "tsdown"), "--out-dir", out], options);
  cpSync(join(sdkFolder, "package.json"), join(project.packageFolder, "package.json"));
  return project;
}

/** `npm install` of the folder of the SDK, which must be built, or of the archive that `npm pack` writes. */
export function installWithNpm(from: "folder" | "archive"): Project {
  const project = anEmptyProject();
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], { cwd, stdio: "pipe", encoding: "utf8" });
  if (from === "folder") {
    npm(sdkFolder, "run", "build");
    npm(project.folder, "install", sdkFolder);
  } else {
    const archive = npm(sdkFolder, "pack", "--silent", "--pack-destination", project.folder).trim().split("\n").at(-1);
    npm(project.folder, "install", `./${archive}`);
  }
  return project;
}

function anEmptyProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), "postern-sdk-"));
  const packageFolder = join(folder, "node_modules/@postern/sdk");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return {
    folder,
    packageFolder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    run: (file, { node = process.execPath, env = {} } = {}) => run(node, folder, file, env),
    typeErrors: (files) => typeErrors(folder, files),
  };
}

function run(node: string, cwd: string, file: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [file], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      errors += String(chunk);
    });
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`exit ${code}: ${errors}${output}`))));
  });
}

function typeErrors(folder: string, files: string[]): string {
  const strictest = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const platform = { target: "es2023", lib: ["es2023", "dom", "dom.asynciterable"], module: "nodenext", types: [] };
  const compilerOptions = { ...strictest, ...platform, skipLibCheck: false, noEmit: true };
  writeFileSync(join(folder, "process.d.ts"), "declare const process: { env: Record<string, string | undefined> };\n");
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [...files, "process.d.ts"] }));
  try {
    execFileSync(process.execPath, [join(binFolder, "tsc"), "-p", folder], { stdio: "pipe", encoding: "utf8" });
    return "";
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}
