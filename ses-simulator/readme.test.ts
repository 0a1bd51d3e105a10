import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { help } from "./src/command-line.ts";
import { useSimulator } from "./test/use-simulator.ts";

const running = useSimulator({ verifiedIdentities: [], servesDns: true });
const run = promisify(execFile);
const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text);
}

test("every shell example in the README works", async () => {
  expect(blocks("sh").length).toBeGreaterThan(2);
  for (const example of blocks("sh")) {
    const script = example.replaceAll("http://127.0.0.1:4579", running.url);
    await expect(run("bash", ["-euo", "pipefail", "-c", script]), example).resolves.toBeDefined();
  }
});

test("the TypeScript example in the README works", async () => {
  const [example = ""] = blocks("ts");
  const file = fileURLToPath(new URL("readme-example.gen.ts", import.meta.url));
  writeFileSync(file, example);
  try {
    const { stdout } = await run(process.execPath, [file]);
    expect(stdout).toBe("200\n");
  } finally {
    rmSync(file);
  }
});

test("the README names every fault, and the help text names every flag", () => {
  const faults = readFileSync(new URL("src/faults/fault.ts", import.meta.url), "utf8").matchAll(
    /kind: "([a-z0-9-]+)"/g,
  );
  for (const [, kind] of faults) expect(readme).toContain(`\`${kind}\``);
  const flags = readFileSync(new URL("src/command-line.ts", import.meta.url), "utf8").matchAll(
    /^ {2}"?([a-z0-9-]+)"?: \[/gm,
  );
  for (const [, flag] of flags) expect(help()).toContain(`--${flag} `);
});
