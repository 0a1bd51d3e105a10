import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sectionOf, withVersion } from "./release-notes.ts";

const changelog = "# Changelog\n\n## Unreleased\n\n### Added\n\n- a thing\n\n## 0.0.1 - 2026-01-01\n\n- first\n";

test("the notes of a version are its section of the changelog", () => {
  expect(sectionOf(changelog, "0.0.1")).toBe("- first");
  expect(sectionOf(changelog, "Unreleased")).toBe("### Added\n\n- a thing");
  expect(sectionOf(changelog, "0.0")).toBeUndefined();
});

test("a release moves the unreleased section below its version, once", () => {
  const released = withVersion(changelog, "0.1.0", "2026-11-18");
  expect(sectionOf(released, "0.1.0")).toBe("### Added\n\n- a thing");
  expect(sectionOf(released, "Unreleased")).toBe("");
  expect(withVersion(released, "0.1.0", "2026-11-19")).toBe(released);
});

test("the changelog of the repository can be released", () => {
  const text = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  expect(sectionOf(withVersion(text, "9.9.9", "2026-11-18"), "9.9.9")).toMatch(/^### Added/);
});

test("the packages of one release have one version", () => {
  const versions = ["service", "sdk", "console", "ses-simulator"].map(
    (name) => JSON.parse(readFileSync(new URL(`../../${name}/package.json`, import.meta.url), "utf8")).version,
  );
  expect(new Set(versions)).toEqual(new Set(["0.1.0"]));
});
