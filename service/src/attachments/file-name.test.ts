import { expect, test } from "vitest";
import { fileNameProblem } from "./file-name.ts";

test.for([
  "receipt.pdf",
  "Rechnung für Jörg (2).pdf",
  "領収書.pdf",
  ".gitignore",
  "archive.tar.gz",
  "no extension",
  "exe",
  "a.exe.zip",
])("%j may be the name of an attachment", (name) => {
  expect(fileNameProblem(name)).toBeUndefined();
});

test.for([
  ["", "empty"],
  ["  ", "empty"],
  ["..", "dots"],
  ["a/b.pdf", "path"],
  ["C:\\b.pdf", "path"],
  ["a\r\nBcc: eve@example.io", "control"],
  ["a\u0000.pdf", "control"],
  ["a\u2028.pdf", "control"],
  ["photo\u202egpj.txt", "direction"],
  ["a\u2066.txt", "direction"],
  ["a".repeat(256), "255"],
  ["setup.EXE", ".exe"],
  ["setup.exe. .", ".exe"],
  ["script.js", ".js"],
  ["\ud800.pdf", "Unicode"],
])("%j may not, because of: %s", ([name = "", text]) => {
  expect(fileNameProblem(name)).toContain(text);
});
