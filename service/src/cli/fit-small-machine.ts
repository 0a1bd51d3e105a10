import { availableParallelism, totalmem } from "node:os";
import { hasHeapOptions } from "../config.ts";

const mebibyte = 1024 ** 2;
const smallBytes = 1024 * mebibyte;
/** The heap of a process after a collection is 40 MB, and a busy one needs twice that. */
const leastHeapMebibytes = 96;
/** With 1, a sixth of the CPU time of 50 mails a second went into collections. Three of them are kept. */
const youngMebibytes = 4;

/**
 * Starts Node again, as the same process, with a heap for a machine or cgroup below 1 GiB: V8 would take half of its memory for each process
 * before it collects garbage, and PostgreSQL and a second process often share it. Heap options of the operator stay.
 */
export function fitSmallMachine(): void {
  const bytes = availableBytes();
  if (process.execve === undefined || bytes >= smallBytes || hasHeapOptions(process.execArgv)) return;
  const options = optionsFor(bytes, availableParallelism());
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...options, ...process.argv.slice(1)]);
}

/**
 * On one CPU the threads that collect garbage run instead of the requests: several for 120 ms every 2.5 s at 50 mails a second
 * (docs/performance.md).
 */
export function optionsFor(bytes: number, cpus: number): string[] {
  const heap = [`--max-old-space-size=${heapMebibytes(bytes)}`, `--max-semi-space-size=${youngMebibytes}`];
  return cpus === 1 ? [...heap, "--single-threaded-gc"] : heap;
}

/** A quarter of the memory. */
export function heapMebibytes(bytes: number): number {
  return Math.max(leastHeapMebibytes, Math.floor(bytes / mebibyte / 4));
}

function availableBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
