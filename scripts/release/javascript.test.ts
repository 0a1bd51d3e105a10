import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toJavaScript, writeJavaScript } from "./javascript.ts";

test("a packed file has no types, keeps its lines, and imports JavaScript", () => {
  const source = [
    'import { a } from "./a.ts";',
    'import type { B } from "./b.ts";',
    'const file: URL = new URL("thread.ts", import.meta.url);',
    'const later = () => import("./c.ts"); // see `d.ts`',
  ].join("\n");
  const packed = toJavaScript(source, "x.ts").split("\n");
  expect(packed[0]).toBe('import { a } from "./a.js";');
  expect(packed[1]?.trim()).toBe("");
  expect(packed[2]).toMatch(/^const file {6}= new URL\("thread\.js", import\.meta\.url\);$/);
  expect(packed[3]).toBe('const later = () => import("./c.js"); // see `d.ts`');
});

test("a folder is written whole, without its tests", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-javascript-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [source, target] = [join(folder, "src"), join(folder, "out")];
  mkdirSync(join(source, "cli"), { recursive: true });
  writeFileSync(join(source, "a.ts"), "export const a: number = 1;\n");
  writeFileSync(join(source, "a.test.ts"), "");
  writeFileSync(join(source, "cli/start.cjs"), 'import("./postern.ts");\n');
  writeFileSync(join(source, "words.json"), "[]");
  writeJavaScript(source, target);
  expect(readdirSync(target, { encoding: "utf8", recursive: true }).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "a.js",
    "cli",
    "cli/start.cjs",
    "words.json",
  ]);
  expect(readFileSync(join(target, "cli/start.cjs"), "utf8")).toBe('import("./postern.js");\n');
});
