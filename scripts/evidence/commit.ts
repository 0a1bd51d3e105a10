import { execFileSync } from "node:child_process";

/** Results and pages made from them do not affect the measured code. */
const generated = ["bench/results", "docs/evidence.json", "docs/evidence.md", "docs/performance.svg"];

/** The commit of the working tree, with a plus when the tree differs from it. Null outside of a git clone. */
export function currentCommit(): string | null {
  const git = (...args: string[]) =>
    execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const changed = git("status", "--porcelain", "--", ":/", ...generated.map((path) => `:(top,exclude)${path}`));
    return `${git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : "+"}`;
  } catch {
    return null;
  }
}
