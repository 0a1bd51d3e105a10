import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { root } from "./pages.ts";

/** Every file that git tracks or would track, from the root of the repository. */
export function listRepositoryFiles(): string[] {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const names = execFileSync("git", options, { cwd: root, encoding: "utf8" }).split("\0");
  return names.filter((name) => name !== "" && existsSync(new URL(encodeURI(name), root)));
}

/** The text of these files by their path. */
export function readFiles(paths: string[]): Map<string, string> {
  return new Map(paths.map((path) => [path, readFileSync(new URL(encodeURI(path), root), "utf8")]));
}
