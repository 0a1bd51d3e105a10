import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

const start = fileURLToPath(new URL("./start.cjs", import.meta.url));

test.for(["18.20.0", "20.20.2", "24.14.9"])(
  "Node %s gets the version that Postern needs and a command that installs it",
  (version) => {
    const { status, stderr, stdout } = runWithVersion(version);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(`Postern needs Node 24.15 or newer. This is Node ${version}`);
    expect(stderr).toContain("npm install --prefix ~/.node24 node@24");
  },
);

test.for(["24.15.0", "25.0.0"])("Node %s runs the command", (version) => {
  expect(runWithVersion(version)).toMatchObject({ status: 0, stdout: `${packageJson.version}\n`, stderr: "" });
});

test("before `npm ci`, the command says which package is missing and how to install it", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-start-"));
  mkdirSync(join(folder, "src/cli"), { recursive: true });
  cpSync(start, join(folder, "src/cli/start.cjs"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", engines: packageJson.engines }));
  writeFileSync(join(folder, "src/cli/postern.ts"), 'import "package-that-is-missing";');
  const { status, stderr } = spawnSync(process.execPath, [join(folder, "src/cli/start.cjs")], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toBe("Cannot find package 'package-that-is-missing'. Install the packages first: npm ci\n");
});

function runWithVersion(version: string) {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const program = `${pretend} require(${JSON.stringify(start)})`;
  const options = { encoding: "utf8", cwd: tmpdir() } as const;
  return spawnSync(process.execPath, ["-e", program, "--", "--version"], options);
}
