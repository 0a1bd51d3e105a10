import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of schema steps for a test: name without `.sql`, and statements. */
export function plantedSteps(steps: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-steps-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, sql] of Object.entries(steps)) writeFileSync(join(folder, `${name}.sql`), sql);
  return folder;
}
