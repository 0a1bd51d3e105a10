import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { prettyLines } from "./pretty-lines.ts";

test("each outcome is one line with its time of day, level, event and fields", () => {
  const lines = logged((log) => {
    log.info({ address: "http://127.0.0.1:3000", connections: { total: 3 } }, "api.started");
    log.warn({ note: "two words", empty: "" }, "aws.not-set-up");
  });
  expect(prettyLines(lines, false).replaceAll(/^\d\d:\d\d:\d\d\.\d{3}/gm, "TIME")).toBe(
    `TIME INFO  api.started address=http://127.0.0.1:3000 connections={"total":3}
TIME WARN  aws.not-set-up note="two words" empty=""
`,
  );
});

test("an error follows with its code, message, stack and cause", () => {
  const cause = Object.assign(new Error("no route"), { code: "EHOSTUNREACH" });
  const lines = logged((log) => log.error({ err: new Error("it failed", { cause }) }, "api.crashed"));
  const [first, message, frame = "", ...rest] = prettyLines(lines, false).trimEnd().split("\n");
  expect(first).toMatch(/ERROR api\.crashed$/);
  expect(message).toBe("    Error: it failed");
  expect(frame).toMatch(/^ {4}at .*pretty-lines\.test\.ts/);
  expect(rest).toContain("    Error EHOSTUNREACH: no route");
});

test("colours change nothing but the colours, and text in fields cannot control the terminal", () => {
  const lines = logged((log) => log.warn({ name: "\u{1b}[31mred" }, "account.named"));
  const coloured = prettyLines(lines, true);
  expect(coloured).toContain("\u{1b}[33mWARN ");
  expect(stripVTControlCharacters(coloured)).toBe(prettyLines(lines, false));
  expect(prettyLines(lines, false)).not.toContain("\u{1b}");
});

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let lines = "";
  write(
    createLog("info", {
      write: (line) => {
        lines += line;
      },
    }),
  );
  return lines;
}
