import { expect, inject, test } from "vitest";
import { proof } from "./image-commands.proof.ts";

// The mount namespace needs root; the timeout allows for downloads by npm.
test.skipIf(process.getuid?.() !== 0)(
  "the proof image-commands holds at its small size",
  { timeout: 480_000 },
  async () => {
    const finding = await proof.run(proof.size.small, { serverUrl: inject("serverUrl"), progress: () => undefined });
    expect(finding.holds, finding.figure).toBe(true);
  },
);
