import { availableParallelism, cpus, release, totalmem } from "node:os";
import { currentCommit } from "../../scripts/evidence/commit.ts";

/** The machine and the commit of a measurement. Called before the run, because results change the working tree. */
export function describeMachine(postgresVersion: string) {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    postgres: postgresVersion,
    commit: currentCommit() ?? "unknown",
    date: new Date().toISOString().slice(0, 16),
  };
}
