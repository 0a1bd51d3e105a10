import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Log } from "../log.ts";

const everyMs = 20_000;
/** Of one core. A process with this little work has nobody who waits for the 50 to 100 ms of a collection. */
const idleShare = 0.03;
/**
 * How many periods in a row must be idle. A collection discards compiled code and the room for new objects: the first thousands of requests
 * after it take 1.5 to 2 times the CPU time (docs/performance.md). So a short pause between two bursts must not cause one.
 */
const idlePeriods = 3;
/** A heap that has grown less since the last collection is not worth another one. */
const worthBytes = 12 * 1024 * 1024;

/**
 * Returns memory to the system when the process has done almost nothing for a minute. V8 keeps the pages of a busy time and of the start for
 * minutes, with a heap limit that it derives from the memory of the machine.
 */
export function trimMemoryWhenIdle(log: Log): { stop(): void } {
  let [before, atMs] = [process.cpuUsage(), performance.now()];
  let kept = 0;
  let idle = 0;
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    const share = (user + system) / 1_000 / (performance.now() - atMs);
    [before, atMs] = [process.cpuUsage(), performance.now()];
    idle = share > idleShare ? 0 : idle + 1;
    const { heapTotal } = process.memoryUsage();
    if (idle < idlePeriods || heapTotal - kept < worthBytes) return;
    collectGarbage();
    kept = process.memoryUsage().heapTotal;
    log.debug({ duration_ms: Math.round(performance.now() - atMs), from: heapTotal, to: kept }, "memory.trimmed");
    [before, atMs] = [process.cpuUsage(), performance.now()];
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** The function is only in contexts that begin after the flag is set. This one ends with the call. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  collect({ execution: "sync", flavor: "last-resort", type: "major" });
}
