import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, inject, onTestFinished, test } from "vitest";
import { createEmptyDatabase } from "./template-database.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** Runs the commands of "Run it" in a temporary folder; only the database, the ports and the printed password differ. */
test("the commands of the README deliver a first mail", { timeout: 60_000 }, async () => {
  const [install = "", start = "", worker = "", use = ""] = blocksUnder("Run it");
  const { url, drop } = await createEmptyDatabase(inject("serverUrl"));
  onTestFinished(drop);
  const shell = aShell({ DATABASE_URL: url, PORT: "0", OPERATIONS_PORT: "0" });

  // `npm ci` has run already: it installed the packages of this test.
  await shell.run(install.replace(/^npm ci$/m, ""));
  const [migrate = "", createAccount = "", api = ""] = start.trim().split("\n");
  expect(await shell.run(migrate)).toContain("up to date");
  const password = /^Password (\S+)$/m.exec(await shell.run(createAccount))?.[1] ?? "none";
  const address = await shell.start(api);
  await shell.start(worker);
  const answer = await shell.run(
    use.replaceAll("http://localhost:3000", address).replace("the password it printed", password),
  );
  expect(JSON.parse(answer)).toMatchObject({ status: "delivered", to_addresses: ["delivered@sandbox.test"] });
});

function blocksUnder(heading: string): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block ?? "");
}

function aShell(environment: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "postern-readme-"));
  cpSync(join(root, ".env.example"), join(folder, ".env.example"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const { PATH, HOME } = process.env;
  const open = (script: string) =>
    spawn("bash", ["--norc", "-c", `set -euo pipefail\n${script}`], {
      cwd: folder,
      env: { PATH, HOME, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
  return {
    run: (script: string) =>
      new Promise<string>((resolve, reject) => {
        const child = open(script);
        const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
        child.on("close", (code) => (code === 0 ? resolve(stdout()) : reject(new Error(`exit ${code}: ${stderr()}`))));
      }),
    /** Starts a long-running command and resolves with the address that it logs. */
    start: (script: string) =>
      new Promise<string>((resolve, reject) => {
        const child = open(script);
        // npx starts the process as its child, so the test kills the whole group.
        onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
        const stderr = collect(child.stderr);
        child.stdout.on("data", (chunk) => {
          const address = /"(?:address|operations)":"([^"]+)"/.exec(String(chunk))?.[1];
          if (address !== undefined) resolve(address);
        });
        child.on("close", (code) => reject(new Error(`exit ${code}: ${stderr()}`)));
      }),
  };
}

function collect(stream: Readable): () => string {
  let text = "";
  stream.on("data", (chunk) => {
    text += String(chunk);
  });
  return () => text;
}
