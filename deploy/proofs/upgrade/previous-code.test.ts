import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPreviousCode } from "./previous-code.ts";

test("the previous code is the last release before this commit, by its tag or by the changelog", () => {
  const repository = aRepository();
  repository.addMigration("0001_first");
  repository.release("0.9.0");
  repository.addMigration("0002_second");
  const release = repository.release("0.10.0");
  repository.addMigration("0003_third");
  expect(findPreviousCode(repository.folder)).toEqual({ name: "0.10.0", commit: release });

  const tagged = repository.git("rev-parse", "HEAD");
  repository.git("tag", "v0.10.0");
  repository.release("0.11.0");
  expect(findPreviousCode(repository.folder)).toEqual({ name: "0.10.0", commit: tagged });
});

test("before the first release it is the newest commit with fewer migrations, all of which this tree has", () => {
  const repository = aRepository();
  repository.addMigration("0001_first");
  const upgradable = repository.git("rev-parse", "HEAD");
  repository.addMigration("0002_later_renumbered");
  repository.git("mv", "service/migrations/0002_later_renumbered.sql", "service/migrations/0003_third.sql");
  repository.addMigration("0002_second");
  repository.git("commit", "-q", "--allow-empty", "-m", "other work");
  expect(findPreviousCode(repository.folder).commit).toBe(upgradable);

  writeFileSync(join(repository.folder, "service/migrations/0004_not_committed.sql"), "");
  expect(findPreviousCode(repository.folder).commit).toBe(repository.git("rev-parse", "HEAD"));
});

test("a shallow clone is refused with the command that completes it", () => {
  const repository = aRepository();
  repository.addMigration("0001_first");
  repository.addMigration("0002_second");
  const clone = join(repository.folder, "clone");
  execFileSync("git", ["clone", "-q", "--depth", "1", `file://${repository.folder}`, clone]);
  expect(() => findPreviousCode(clone)).toThrow("git fetch --unshallow --tags");
});

function aRepository() {
  const folder = mkdtempSync(join(tmpdir(), "postern-repository-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, ...identity, ...args], { encoding: "utf8" }).trim();
  const changelog = join(folder, "CHANGELOG.md");
  let sections = "";
  git("init", "-q");
  mkdirSync(join(folder, "service/migrations"), { recursive: true });
  return {
    folder,
    git,
    addMigration(name: string) {
      writeFileSync(join(folder, "service/migrations", `${name}.sql`), "");
      git("add", "-A");
      git("commit", "-q", "-m", name);
    },
    /** Returns the commit that writes the section of the version. */
    release(version: string) {
      sections = `## ${version} - 2026-01-01\n\n- a thing\n\n${sections}`;
      writeFileSync(changelog, `# Changelog\n\n## Unreleased\n\n${sections}`);
      git("add", "-A");
      git("commit", "-q", "-m", `release ${version}`);
      return git("rev-parse", "HEAD");
    },
  };
}
