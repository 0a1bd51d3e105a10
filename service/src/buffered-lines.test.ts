import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { bufferLines } from "./buffered-lines.ts";
import { createLog } from "./log.ts";

test("lines are written together and in order, within 50 ms", async () => {
  const { written, log } = collected();
  log.info("one");
  log.info("two");
  expect(written).toEqual([]);
  await sleep(100);
  expect(written.map(eventsOf)).toEqual([["one", "two"]]);
});

test("a warning is written immediately, after the buffered lines", () => {
  const { written, log } = collected();
  log.info("one");
  log.warn("two");
  log.info("three");
  log.error("four");
  expect(written.map(eventsOf)).toEqual([
    ["one", "two"],
    ["three", "four"],
  ]);
});

test("a full buffer is written before 50 ms have passed", () => {
  const { written, log } = collected();
  for (let count = 0; count < 400; count++) log.info({ filler: "x".repeat(100) }, "filled");
  expect(written.length).toBeGreaterThan(2);
  expect(Math.max(...written.map((lines) => lines.length))).toBeLessThan(17_000);
});

const endings = [
  ["it ends normally", "", ["one"]],
  ["it exits", "process.exit(0);", ["one"]],
  ["an error is not caught", "throw new Error('broken');", ["one"]],
  ["it is killed right after a warning", "log.warn('two'); process.kill(process.pid, 'SIGKILL');", ["one", "two"]],
] as const;

test.for(endings)("a process loses no line when %s", async ([, ending, events]) => {
  const source = fileURLToPath(new URL("./log.ts", import.meta.url));
  const script = `import { createLog } from ${JSON.stringify(source)}; const log = createLog("info"); log.info("one"); ${ending}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(child, "close");
  expect(eventsOf(output)).toEqual(events);
});

function collected() {
  const written: string[] = [];
  return {
    written,
    log: createLog(
      "info",
      bufferLines((lines) => void written.push(lines)),
    ),
  };
}

function eventsOf(lines: string): string[] {
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).event);
}
