import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildImage } from "./release-image.ts";
import { sectionOf, withVersion } from "./release-notes.ts";
import { sbomOf, sbomWorkspaces } from "./sbom.ts";
import { stageServicePackage } from "./service-package.ts";

const repository = join(import.meta.dirname, "../..");
const { values: options } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, out: { type: "string", default: "release" } },
});
const isDryRun = options["dry-run"];
const out = join(repository, options.out);
const { version } = JSON.parse(readFileSync(join(repository, "service/package.json"), "utf8"));
const skipped: string[] = [];

/** Builds every file of a release. Publishing is the work of .github/workflows/release.yml. */
async function release(): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeNotes();
  const packed = [packService(), packSdk()];
  for (const workspace of sbomWorkspaces) {
    writeFileSync(join(out, `postern-${workspace}-${version}.cdx.json`), sbomOf(repository, workspace));
  }
  const notBuilt = await buildImage(version, join(out, `postern-image-${version}.tar`), isDryRun);
  if (notBuilt !== undefined) skipped.push(`the image: ${notBuilt}`);
  writeFileSync(join(out, "contents.txt"), packed.flatMap(describePackage).join("\n"));
  writeChecksums();
  report();
}

/** A release needs its section in the changelog; a dry run takes the unreleased one. */
function writeNotes(): void {
  const changelog = readFileSync(join(repository, "CHANGELOG.md"), "utf8");
  const notes = sectionOf(changelog, version) ?? (isDryRun ? sectionOf(changelog, "Unreleased") : undefined);
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section ${version}`);
  writeFileSync(join(out, "release-notes.md"), `# Postern ${version}\n\n${notes}\n`);
  if (isDryRun) {
    const date = new Date().toISOString().slice(0, 10);
    writeFileSync(join(out, "CHANGELOG.md"), withVersion(changelog, version, date));
  }
}

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string; size: number }[];
}

function packService(): Packed {
  run("npm", ["run", "--silent", "build", "--workspace=console"]);
  const staged = mkdtempSync(join(tmpdir(), "postern-release-"));
  try {
    stageServicePackage(repository, staged);
    return pack(staged);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

function packSdk(): Packed {
  run("npm", ["run", "--silent", "build", "--workspace=sdk"]);
  return pack(join(repository, "sdk"));
}

/** Without scripts: the build before it is the one that the list describes. */
function pack(folder: string): Packed {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", out];
  const [packed] = JSON.parse(
    execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  return packed;
}

function describePackage({ filename, unpackedSize, files: packedFiles }: Packed): string[] {
  const lines = packedFiles.map(({ path, size }) => `  ${String(size).padStart(9)}  ${path}`);
  return [`${filename}: ${packedFiles.length} files, ${unpackedSize} bytes unpacked`, ...lines, ""];
}

function writeChecksums(): void {
  const lines = files().map((name) => `${sha256(join(out, name))}  ${name}`);
  writeFileSync(join(out, "SHA256SUMS"), `${lines.join("\n")}\n`);
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function report(): void {
  for (const name of files())
    console.log(`${String(statSync(join(out, name)).size).padStart(12)}  ${options.out}/${name}`);
  for (const what of skipped) console.log(`skipped: ${what}`);
  if (isDryRun) console.log(`This was a dry run of ${version}: nothing is published, no tag is set.`);
}

function files(): string[] {
  return readdirSync(out).toSorted();
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { cwd: repository, stdio: ["ignore", "ignore", "inherit"] });
}

await release();
