import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, inject, test } from "vitest";
import type { Proof } from "../../scripts/proof.ts";

const names = globSync("*.proof.ts", { cwd: import.meta.dirname }).map((file) => basename(file, ".proof.ts"));

test.for(names.toSorted())("the proof %s holds at its small size", { timeout: 240_000 }, async (name) => {
  const { proof }: { proof: Proof } = await import(/* @vite-ignore */ join(import.meta.dirname, `${name}.proof.ts`));
  const finding = await proof.run(proof.size.small, { serverUrl: inject("serverUrl"), progress: () => undefined });
  expect(finding.holds, `${name}: ${finding.figure}`).toBe(true);
});
