import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { secret } from "../../service/src/secret.ts";
import { root } from "./container-file.ts";

test("each generated secret becomes a file that only its owner can read", () => {
  const folder = aFolder();
  const generated = generateSecrets();
  expect(split(folder, generated)).toMatchObject({ status: 0 });
  expect(readdirSync(folder).toSorted()).toEqual(["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"]);
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8");
    expect(secret.safeParse(text.trimEnd()).success).toBe(true);
    expect(generated).toContain(`${name}=${text}`);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  }
});

test("a second run replaces no secret", () => {
  const folder = aFolder();
  split(folder, generateSecrets());
  const before = readFileSync(join(folder, "CONTENT_KEY"), "utf8");
  expect(split(folder, generateSecrets())).toMatchObject({ status: 0, stdout: expect.stringContaining("kept") });
  expect(readFileSync(join(folder, "CONTENT_KEY"), "utf8")).toBe(before);
});

test("empty and invalid input is reported and creates no file", () => {
  const folder = aFolder();
  expect(split(folder, "")).toMatchObject({ status: 1, stderr: expect.stringContaining("received no secrets") });
  expect(split(folder, "../../etc/x=1\n")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("not a valid name"),
  });
  expect(readdirSync(folder)).toEqual([]);
});

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function generateSecrets(): string {
  const postern = join(root, "service/src/cli/start.cjs");
  return execFileSync(process.execPath, [postern, "admin", "generate-secrets"], { encoding: "utf8" });
}

function split(folder: string, input: string) {
  return spawnSync("sh", [join(root, "deploy/split-secrets.sh"), folder], { input, encoding: "utf8" });
}
