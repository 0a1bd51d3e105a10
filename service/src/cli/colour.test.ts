import { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { canColour, colourMarks } from "./colour.ts";

const text = "1 problem found.\n\n  ✗ Mail is on hold!\n    → Release it.\n✓ done ✓\n! a note";

beforeEach(() => {
  for (const name of ["NO_COLOR", "FORCE_COLOR", "NODE_DISABLE_COLORS", "CI"]) vi.stubEnv(name, undefined);
  vi.stubEnv("TERM", "xterm-256color");
});
afterEach(() => vi.unstubAllEnvs());

test("on a terminal the marks at the beginning of lines have colours, and the text stays the same", () => {
  const coloured = colourMarks(text, aStream({ isTTY: true }));
  expect(coloured).toContain("  \u{1b}[31m✗\u{1b}[39m Mail is on hold!\n");
  expect(coloured).toContain("\n\u{1b}[32m✓\u{1b}[39m done ✓\n\u{1b}[33m!\u{1b}[39m a note");
  expect(stripVTControlCharacters(coloured)).toBe(text);
});

test("with NO_COLOR, on a terminal without colours and in a pipe there are none", () => {
  expect(canColour(aStream({ isTTY: true }))).toBe(true);
  expect(colourMarks(text, aStream({ isTTY: false }))).toBe(text);
  vi.stubEnv("FORCE_COLOR", "1");
  expect(colourMarks(text, aStream({ isTTY: false }))).toBe(text);
  vi.stubEnv("FORCE_COLOR", undefined);
  vi.stubEnv("TERM", "dumb");
  expect(colourMarks(text, aStream({ isTTY: true }))).toBe(text);
  vi.stubEnv("TERM", "xterm-256color");
  vi.stubEnv("NO_COLOR", "1");
  expect(colourMarks(text, aStream({ isTTY: true }))).toBe(text);
});

/** Node's own detection of colours, without a terminal. */
function aStream({ isTTY }: { isTTY: boolean }): NodeJS.WriteStream {
  return Object.create(WriteStream.prototype, { isTTY: { value: isTTY } });
}
