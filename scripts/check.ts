import { spawnSync } from "node:child_process";

/** Everything a change must pass, cheapest first; the first failure ends it with the command to repeat. */
const steps: [what: string, command: string][] = [
  ["format and lint (biome)", "biome check ."],
  ["lint with types (oxlint)", "oxlint --type-aware --deny-warnings"],
  ["types (tsc)", "tsc"],
  ["dead code (knip)", "knip"],
  ["API document (redocly)", "redocly lint service/openapi.json"],
  ["tests, architecture included (vitest)", "vitest run --exclude **/proofs/** --exclude **/mutations/**"],
];

const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

for (const [what, command] of steps) {
  const started = performance.now();
  console.log(`\n→ ${what}`);
  const { status } = spawnSync("npx", ["--no-install", ...command.split(" ")], {
    stdio: "inherit",
    env: { ...process.env, ...quiet },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`\n✗ ${what} failed after ${seconds} s. Repeat it alone with: npx ${command}`);
    process.exit(1);
  }
  console.log(`✓ ${what}, ${seconds} s`);
}
