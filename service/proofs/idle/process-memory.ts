import { readFileSync } from "node:fs";

/**
 * The proportional set size of processes in MB: their own pages, and of each page that they share with others (code, shared buffers) their
 * part. So the sum over all processes counts no page twice.
 */
export function pssMegabytes(pids: number[]): number {
  return pids.reduce((sum, pid) => sum + pssKilobytes(pid), 0) / 1_024;
}

function pssKilobytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1]);
}
