import { spawnSync } from "node:child_process";

/** All checks of a change, fastest first. The first failure stops the run and prints the command to repeat it. */
const steps: [name: string, command: string][] = [
  ["format and lint (biome)", "biome check ."],
  ["lint with types (oxlint)", "oxlint --type-aware --deny-warnings"],
  ["types (tsc)", "tsc"],
  ["types of the console (tsc)", "tsc -p console"],
  ["dead code (knip)", "knip"],
  ["migrations (PostgreSQL's parser)", "node scripts/lint-migrations.ts"],
  ["API document (redocly)", "redocly lint service/openapi.json"],
  ["tests, architecture included (vitest)", "vitest run --exclude **/proofs/** --exclude **/mutations/**"],
];

const environment = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

for (const [name, command] of steps) {
  const started = performance.now();
  console.log(`\n→ ${name}`);
  const { status } = spawnSync("npx", ["--no-install", ...command.split(" ")], {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`\n✗ ${name} failed after ${seconds} s. Repeat this check with: npx ${command}`);
    process.exit(1);
  }
  console.log(`✓ ${name}, ${seconds} s`);
}
