import { readFileSync } from "node:fs";

/** Linux keeps the peak of the resident memory. 0 elsewhere, and after the process has ended. */
export function peakOf(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
