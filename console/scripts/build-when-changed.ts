import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";

/** Before `npm run dev` and the browser tests: builds the console, unless the last build is newer than everything it is made from. */
const folder = join(import.meta.dirname, "..");
const sources = [
  "src/**/*",
  "public/*",
  "index.html",
  "vite.config.ts",
  "package.json",
  "../package-lock.json",
  "../docs/runbook.md",
];

function newest(patterns: string[]): number {
  const files = globSync(patterns, { cwd: folder });
  return Math.max(0, ...files.map((file) => statSync(join(folder, file)).mtimeMs));
}

if (newest(["dist/index.html"]) <= newest(sources)) {
  const { status } = spawnSync("npx", ["--no-install", "vite", "build", "--logLevel", "warn"], {
    cwd: folder,
    stdio: "inherit",
    // A test runner sets another one, and React would include its checks for developers.
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (status !== 0) process.exit(1);
}
