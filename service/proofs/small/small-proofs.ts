import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, inject, test } from "vitest";
import type { Proof } from "../../../scripts/proof.ts";

const folder = join(import.meta.dirname, "..");

export const proofNames = globSync("*.proof.ts", { cwd: folder })
  .map((file) => basename(file, ".proof.ts"))
  .toSorted();

/**
 * Proofs that mostly wait, for processes to start and for time to pass. They run in a file of their own beside all others, because vitest
 * runs the tests of one file one after the other. All proofs that start `postern dev` are here, so that no two start it at once.
 */
export const longProofs = [
  "denied-domain",
  "dev-restarts",
  "examples",
  "failover",
  "first-hour",
  "guard",
  "limiter",
  "provider-faults",
  "quota",
  "sdk-flaky",
  "slow-credentials",
  "stuck-worker",
  "tabs",
  "webhook-isolation",
  "webhook-loss",
];

/** A limit for proofs that hang: on a machine with a load of 40, `aws-check` took seven minutes (n = 1). */
const timeoutMs = 900_000;

export function testSmallProofs(names: string[]): void {
  test.for(names)("the proof %s holds at its small size", { timeout: timeoutMs }, async (name) => {
    const { proof }: { proof: Proof } = await import(/* @vite-ignore */ join(folder, `${name}.proof.ts`));
    const finding = await proof.run(proof.size.small, { serverUrl: inject("serverUrl"), progress: () => undefined });
    expect(finding.holds, `${name}: ${finding.figure}`).toBe(true);
  });
}
