import { type FileLock, trySharedLock } from "./file-lock.ts";
import { processesLock } from "./state-folder.ts";

/**
 * Each process of `postern dev` loads this file before its own code.
 * 1. When the parent is gone, even killed, the process sends itself SIGTERM.
 * 2. It holds a shared lock until it ends, so that the next start can wait for all processes of the earlier run.
 * The parent passes its process id in the URL of this file, because the environment belongs to the service.
 */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

// A module variable, because garbage collection of the lock would release it.
const lock: FileLock = takeSharedLock();
process.on("exit", () => lock.release());

// After the lock: if the parent died before this process took the lock, the next start did not wait for this process.
if (String(process.ppid) !== new URL(import.meta.url).searchParams.get("parent")) process.exit(1);

/** Waits while a start checks for leftover processes: that check holds the exclusive lock for an instant. */
function takeSharedLock(): FileLock {
  for (;;) {
    const taken = trySharedLock(processesLock);
    if (taken !== undefined) return taken;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}
