import { expect, inject, test } from "vitest";
import { proof } from "./image-commands.proof.ts";

// A view of its own needs root; npm may have to fetch what it installs.
test.skipIf(process.getuid?.() !== 0)(
  "the proof image-commands holds at its small size",
  { timeout: 240_000 },
  async () => {
    const finding = await proof.run(proof.size.small, { serverUrl: inject("serverUrl"), progress: () => undefined });
    expect(finding.holds, finding.figure).toBe(true);
  },
);
