import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { hasHeapOptions } from "../config.ts";
import { heapMebibytes, optionsFor } from "./fit-small-machine.ts";

test.for([
  [256, 96],
  [400, 100],
  [1_000, 250],
] as const)("of %i MiB, each process may use %i for its heap", ([machine, heap]) => {
  expect(heapMebibytes(machine * 1024 ** 2)).toBe(heap);
});

test("heap options of the operator are known, from the command and from NODE_OPTIONS", () => {
  expect(hasHeapOptions([], {})).toBe(false);
  expect(hasHeapOptions(["--max-old-space-size=300"], {})).toBe(true);
  expect(hasHeapOptions([], { NODE_OPTIONS: "--no-warnings --max_old_space_size=300" })).toBe(true);
  expect(hasHeapOptions([], { NODE_OPTIONS: "--max-semi-space-size=8" })).toBe(true);
});

test("Node collects garbage in one thread where it has one CPU, and accepts the options", () => {
  const [two, one] = [optionsFor(400 * 1024 ** 2, 2), optionsFor(400 * 1024 ** 2, 1)];
  expect(two).toEqual(["--max-old-space-size=100", "--max-semi-space-size=4"]);
  expect(one).toEqual([...two, "--single-threaded-gc"]);
  const program = "process.stdout.write('started')";
  expect(execFileSync(process.execPath, [...one, "--eval", program], { encoding: "utf8" })).toBe("started");
});
