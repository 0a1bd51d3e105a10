import { existsSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, inject, test } from "vitest";
import type { Proof } from "../../scripts/proof.ts";
import { executablePath } from "../test/browser-pages.ts";

declare module "vitest" {
  interface ProvidedContext {
    serverUrl: string;
  }
}

// `console-scale` is about the size of an account, so that its small size would show little for the two minutes it takes.
const names = globSync("*.proof.ts", { cwd: import.meta.dirname })
  .map((file) => basename(file, ".proof.ts"))
  .filter((name) => name !== "console-scale");

// Each proof starts a cell and a browser, so they run one after the other.
test.skipIf(!existsSync(executablePath)).for(names.toSorted())(
  "the proof %s holds at its small size",
  { timeout: 400_000 },
  async (name) => {
    const file = join(import.meta.dirname, `${name}.proof.ts`);
    const { proof }: { proof: Proof } = await import(/* @vite-ignore */ file);
    const finding = await proof.run(proof.size.small, { serverUrl: inject("serverUrl"), progress: () => undefined });
    expect(finding.holds, `${name}: ${finding.figure}`).toBe(true);
  },
);
