import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../../test/a-folder.ts";
import { LineFile } from "./line-file.ts";

test("the file returns lines longer than a chunk completely, with their offsets", () => {
  const path = join(aFolder(), "lines");
  const file = new LineFile(path);
  const lines = ["short", "ü".repeat(1_500_000), "", "last"];
  file.append(lines.map((line) => `${line}\n`).join(""));
  const read = [...file.lines()];
  expect(read.map(({ text }) => text)).toEqual(lines);
  for (const { offset, length, text } of read) expect(file.read(offset, length)).toBe(text);
});

test("a file with only one incomplete line is empty after opening", () => {
  const path = join(aFolder(), "lines");
  writeFileSync(path, "x".repeat(200_000));
  expect(new LineFile(path).length).toBe(0);
});
