import { type FileLock, holdShared } from "./file-lock.ts";
import { processesLock } from "./state-folder.ts";

/**
 * Loaded into each process of `postern dev` before its own code: when the parent is gone, killed perhaps, the process
 * stops as if it had been asked to. The lock lets the next start see when the last of them has ended. Who the parent is
 * stands in the address it is loaded by, because the environment is the service's.
 */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

// Held here, because a lock that is collected is released.
const held: FileLock = holdSharedSoon();
process.on("exit", () => held.release());

// In this order: if the parent died before the lock was held, the next start did not see us and must not meet us.
if (String(process.ppid) !== new URL(import.meta.url).searchParams.get("parent")) process.exit(1);

/** Whoever looks whether we have ended holds the lock alone for an instant. */
function holdSharedSoon(): FileLock {
  for (;;) {
    const lock = holdShared(processesLock);
    if (lock !== undefined) return lock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}
