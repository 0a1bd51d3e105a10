import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, release, totalmem } from "node:os";

export type Machine = ReturnType<typeof describeMachine>;

/** The machine and the commit of a measurement. Called before the run, because results change the working tree. */
export function describeMachine(postgresVersion: string) {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    postgres: postgresVersion,
    commit: commitNow(),
    date: new Date().toISOString().slice(0, 16),
  };
}

/** Result files of earlier benches do not count as changes: they do not affect the measured code. */
function commitNow(): string {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", ":/", ":(top,exclude)bench/results");
  return `${git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : "-dirty"}`;
}
