import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

export interface PreviousCode {
  /** A version, or a commit before the first release. */
  name: string;
  commit: string;
}

const migrations = "service/migrations/";
const changelog = "CHANGELOG.md";

/**
 * The code that installations upgrade from: the last release before this commit. A release is the commit that wrote the section of its
 * version into the changelog, or its tag where the clone has it. Until there is one, the newest commit that has fewer migrations, all of
 * them known to this tree: a database of any other commit has no way to this schema.
 */
export function findPreviousCode(repository = "."): PreviousCode {
  const git = (...args: string[]) => runGit(repository, args);
  if (git("rev-parse", "--is-shallow-repository") === "true")
    throw new Error("This clone is shallow and lacks the code of the last release. Run: git fetch --unshallow --tags");
  const head = git("rev-parse", "HEAD");
  for (const version of releasedVersions(git)) {
    const commit = releaseCommit(git, version);
    if (commit !== undefined && commit !== head) return { name: version, commit };
  }

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

type Git = (...args: string[]) => string;

/** From the changelog, the newest first. */
function releasedVersions(git: Git): string[] {
  if (git("ls-tree", "HEAD", changelog) === "") return [];
  return [...git("show", `HEAD:${changelog}`).matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(([, version = ""]) => version);
}

function releaseCommit(git: Git, version: string): string | undefined {
  const tag = git("tag", "--list", `v${version}`, "--merged", "HEAD");
  if (tag !== "") return git("rev-parse", `${tag}^{commit}`);
  const [commit] = lines(git("log", "--reverse", "--format=%H", `-S## ${version} `, "--", changelog));
  return commit;
}

function runGit(folder: string, args: string[]): string {
  return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
