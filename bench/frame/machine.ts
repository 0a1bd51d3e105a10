import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, release, totalmem } from "node:os";

export type Machine = ReturnType<typeof describeMachine>;

/** What the figures were measured on; without it they say little. */
export function describeMachine(postgresVersion: string) {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    postgres: postgresVersion,
    commit: execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim(),
    date: new Date().toISOString().slice(0, 16),
  };
}
