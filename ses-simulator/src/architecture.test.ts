import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL(".", import.meta.url).pathname;
const files = globSync("**/*.{ts,js}", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"));

function importsOf(file: string): string[] {
  const text = readFileSync(folder + file, "utf8");
  return [...text.matchAll(/^(?:import|export)[^;]*? from "([^"]+)";/gm)].map(([, from = ""]) => from);
}

test("the simulator imports only Node and its own files, and postal-mime to show raw mail, never the service", () => {
  expect(files.length).toBeGreaterThan(60);
  for (const file of files) {
    for (const from of importsOf(file)) {
      if (file === "mail-view/parse-raw-mail.ts" && from === "postal-mime") continue;
      expect(from, file).toMatch(/^(?:node:|\.{1,2}\/)/);
      expect(from, file).not.toContain("service");
    }
  }
  const manifest = JSON.parse(readFileSync(`${folder}../package.json`, "utf8"));
  expect(Object.keys(manifest.dependencies)).toEqual(["postal-mime"]);
});

test.each([
  ["disk", /\/(?:ledger|events|ses|sns|sqs|faults|http|control|mail-view)\//],
  ["sqs", /\/(?:ses|sns|events|control|mail-view|ledger)\//],
  ["sns", /\/(?:ses|events|control|mail-view|ledger)\//],
  ["ses", /\/(?:sqs|sns|control|mail-view)\//],
])("%s imports nothing from a higher layer", (layer, higherLayers) => {
  const own = files.filter((file) => file.startsWith(`${layer}/`));
  expect(own.length).toBeGreaterThan(2);
  for (const file of own)
    expect(
      importsOf(file).filter((from) => higherLayers.test(from)),
      file,
    ).toEqual([]);
});
