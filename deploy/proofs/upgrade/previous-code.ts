import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

export interface PreviousCode {
  /** A tag, or a commit before the first release. */
  name: string;
  commit: string;
}

const migrations = "service/migrations/";

/**
 * The code that installations upgrade from: the last release before this commit. Until there is one, the newest commit that has fewer
 * migrations, all of them known to this tree: a database of any other commit has no way to this schema.
 */
export function findPreviousCode(repository = "."): PreviousCode {
  const git = (...args: string[]) => runGit(repository, args);
  if (git("rev-parse", "--is-shallow-repository") === "true")
    throw new Error("This clone is shallow and lacks the code of the last release. Run: git fetch --unshallow --tags");
  const [tag] = lines(
    git("tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname"),
  );
  if (tag !== undefined) return { name: tag, commit: git("rev-parse", `${tag}^{commit}`) };

  const known = new Set(globSync("*.sql", { cwd: join(repository, migrations) }));
  const changes = lines(git("log", "--format=%H", "--", migrations));
  for (const candidate of ["HEAD", ...changes.map((commit) => `${commit}^`)]) {
    const names = lines(git("ls-tree", "--name-only", candidate, migrations)).filter((path) => path.endsWith(".sql"));
    const isUpgradable =
      names.length > 0 && names.length < known.size && names.every((path) => known.has(basename(path)));
    if (isUpgradable) return { name: git("rev-parse", "--short", candidate), commit: git("rev-parse", candidate) };
  }
  throw new Error(`No commit has fewer migrations than the ${known.size} of this tree, and all of them.`);
}

function runGit(folder: string, args: string[]): string {
  return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
