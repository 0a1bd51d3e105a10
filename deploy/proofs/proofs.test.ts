import { expect, inject, test } from "vitest";
import type { Proof } from "../../scripts/proof.ts";
import { proof as imageCommands } from "./image-commands.proof.ts";
import { proof as restart } from "./restart.proof.ts";
import { proof as upgrade } from "./upgrade.proof.ts";

// The mount namespace needs root; the timeout allows for downloads by npm.
test.skipIf(process.getuid?.() !== 0)("the proof image-commands holds at its small size", { timeout: 480_000 }, () =>
  holdsAtSmallSize(imageCommands),
);

test.for([
  ["restart", restart],
  ["upgrade", upgrade],
] as const)("the proof %s holds at its small size", { timeout: 480_000 }, ([, proof]) => holdsAtSmallSize(proof));

async function holdsAtSmallSize(proof: Proof): Promise<void> {
  const finding = await proof.run(proof.size.small, { serverUrl: inject("serverUrl"), progress: () => undefined });
  expect(finding.holds, finding.figure).toBe(true);
}
