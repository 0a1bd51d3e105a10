import { expect, inject, test } from "vitest";
import type { Proof } from "../../scripts/proof.ts";
import { proof as deploy } from "./deploy.proof.ts";
import { proof as imageCommands } from "./image-commands.proof.ts";
import { proof as moveAccount } from "./move-account.proof.ts";
import { proof as restart } from "./restart.proof.ts";
import { proof as upgrade } from "./upgrade.proof.ts";

// Mount namespaces and a container engine need root; the timeout allows for downloads by npm and apt.
test.skipIf(process.getuid?.() !== 0).for([
  ["image-commands", imageCommands],
  ["deploy", deploy],
] as const)("the proof %s holds at its small size", { timeout: 600_000 }, ([, proof]) => holdsAtSmallSize(proof));

test.for([
  ["move-account", moveAccount],
  ["restart", restart],
  ["upgrade", upgrade],
] as const)("the proof %s holds at its small size", { timeout: 480_000 }, ([, proof]) => holdsAtSmallSize(proof));

async function holdsAtSmallSize(proof: Proof): Promise<void> {
  const finding = await proof.run(proof.size.small, { serverUrl: inject("serverUrl"), progress: () => undefined });
  expect(finding.holds, finding.figure).toBe(true);
}
