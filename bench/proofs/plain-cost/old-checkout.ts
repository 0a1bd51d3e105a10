import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const repository = join(import.meta.dirname, "../../..");
/** The first file of the additions to a mail: headers, tags and metadata. */
const firstAddition = "service/migrations/0058_tags_and_metadata.sql";

export interface OldCheckout {
  folder: string;
  commit: string;
  remove(): void;
}

/**
 * The files of the service from before the additions, in a temporary folder, with the packages that are installed now. Needs the history:
 * a shallow clone does not have it.
 */
export function checkOutOld(): OldCheckout {
  const commit = commitBefore(firstAddition);
  const folder = mkdtempSync(join(tmpdir(), "postern-before-additions-"));
  const archive = join(folder, "service.tar");
  git("archive", "--format=tar", `--output=${archive}`, commit, "service");
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  rmSync(archive);
  for (const packages of ["node_modules", "service/node_modules"]) {
    const installed = join(repository, packages);
    if (existsSync(installed)) symlinkSync(installed, join(folder, packages));
  }
  return { folder, commit, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function commitBefore(file: string): string {
  const added = git("log", "--diff-filter=A", "--format=%H", "--", file).trim().split("\n").at(-1);
  if (added === undefined || added === "") throw new Error(`The history does not say when ${file} was added`);
  try {
    return git("rev-parse", "--verify", "--short=12", `${added}^`).trim();
  } catch (cause) {
    throw new Error("This clone has too little history. Run `git fetch --unshallow` first", { cause });
  }
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
